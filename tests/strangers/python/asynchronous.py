import asyncio


async def count_lines(filename):
    def work():
        with open(filename, encoding="utf-8") as f:
            return sum(1 for _ in f)

    return await asyncio.to_thread(work)


if __name__ == "__main__":
    print(asyncio.run(count_lines("access.log")))
