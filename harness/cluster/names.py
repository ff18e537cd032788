"""Names, ids and addresses as a cluster would have made them, from hashes instead of chance."""

import hashlib

ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
"""The letters of generated names: no vowels, nothing that looks like something else."""


def seed(*parts: object) -> int:
    """Return a large number that depends on the parts and on nothing else."""
    return int.from_bytes(hashlib.sha256("\0".join(map(str, parts)).encode()).digest())


def spell(value: int, length: int) -> str:
    """Return `length` letters of the safe alphabet for a number."""
    letters: list[str] = []
    for _ in range(length):
        value, rest = divmod(value, len(ALPHABET))
        letters.append(ALPHABET[rest])
    return "".join(letters)


def template_hash(*parts: object) -> str:
    """Return a pod-template-hash of nine or ten letters."""
    value = seed("template", *parts)
    return spell(value // 4, 9 if value % 4 == 0 else 10)


def suffix(*parts: object) -> str:
    """Return the five letters that end the name of a pod."""
    return spell(seed("suffix", *parts), 5)


def uid(*parts: object) -> str:
    """Return a UUID of version 4 in form."""
    digits = f"{seed('uid', *parts):064x}"
    variant = "89ab"[int(digits[16], 16) % 4]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:32]}"


def digest(*parts: object) -> str:
    """Return 64 hexadecimal digits."""
    return f"{seed('digest', *parts):064x}"


def pick(upper: int, *parts: object) -> int:
    """Return a number from 0 to below `upper`."""
    return seed("pick", *parts) % upper


def free_address(prefix: str, taken: set[str], *parts: object) -> str:
    """Return an IPv4 address under a prefix of three numbers that is not taken, and take it."""
    start = pick(250, prefix, *parts)
    for step in range(250):
        address = f"{prefix}.{2 + (start + step) % 250}"
        if address not in taken:
            break
    else:
        return free_address(_next_prefix(prefix), taken, *parts)
    taken.add(address)
    return address


def _next_prefix(prefix: str) -> str:
    first, second, third = (int(each) for each in prefix.split("."))
    return f"{first}.{second + 1}.{third}"
