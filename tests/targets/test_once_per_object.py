"""A memory of what was made of objects: by the object itself, and of the newest only."""

from harness.model.remembering import once_per_object


def test_an_object_is_known_again_and_an_equal_one_is_not() -> None:
    seen: list[list[int]] = []

    @once_per_object(8)
    def counted(of: list[int]) -> int:
        seen.append(of)
        return len(seen)

    one, equal = [1], [1]

    assert [counted(each) for each in (one, one, equal, one, equal)] == [1, 1, 2, 1, 2]


def test_no_more_are_kept_than_asked_and_the_oldest_goes() -> None:
    made: list[int] = []

    @once_per_object(2)
    def noted(of: list[int]) -> int:
        made.append(of[0])
        return of[0]

    first, second, third = [1], [2], [3]
    for each in (first, second, third, second, first):
        noted(each)

    assert made == [1, 2, 3, 1]


def test_an_object_that_took_the_place_of_another_in_memory_is_not_taken_for_it() -> None:
    @once_per_object(4)
    def first_of(of: list[int]) -> int:
        return of[0]

    assert [first_of([number]) for number in range(50)] == list(range(50))
