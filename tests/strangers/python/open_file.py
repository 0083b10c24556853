def count_errors(fp):
    n = 0
    for line in fp:
        if "ERROR" in line:
            n += 1
    return n


def checksum(stream):
    import zlib

    value = 0
    while chunk := stream.read(65536):
        value = zlib.crc32(chunk, value)
    return value
