class FileUtils:
    CHUNK_SIZE = 8192

    @staticmethod
    def read_chunks(path):
        chunks = []
        with open(path, "rb") as f:
            while True:
                data = f.read(FileUtils.CHUNK_SIZE)
                if not data:
                    break
                chunks.append(data)
        return chunks

    @classmethod
    def md5(cls, path):
        import hashlib

        h = hashlib.md5()
        for chunk in cls.read_chunks(path):
            h.update(chunk)
        return h.hexdigest()
