"""`Courses`: students counted on their course, every tally right. A run over it must find nothing."""

from __future__ import annotations

from dynodesk.sandbox.sample_table import (
    DAY,
    MIDSUMMER,
    SampleTable,
    TaggedItem,
    chance,
    create_request,
    moment,
    number,
    scaled,
    short_ids,
    text,
)

_TITLES = ("Algebra", "Botany", "Ceramics", "Dutch for beginners", "Étude de cas", "First aid", "Geology", "日本史")


def courses(scale: float) -> SampleTable:
    """The table at `scale`: 1 gives twelve courses, one of them empty, with about 200 students in all."""
    rng = chance("Courses")
    items: list[TaggedItem] = []
    for position, course in enumerate(short_ids(rng, scaled(12, scale, least=2))):
        students = short_ids(rng, rng.randrange(5, 31)) if position else []
        items.append(
            {
                "PK": text(f"COURSE#{course}"),
                "SK": text("META"),
                "title": text(rng.choice(_TITLES)),
                "enrolled": number(len(students)),
                "rev": number(len(students) + rng.randrange(1, 9)),
            }
        )
        items += (
            {
                "PK": text(f"COURSE#{course}"),
                "SK": text(f"STUDENT#{student}"),
                "since": text(moment(MIDSUMMER - rng.randrange(200 * DAY))),
            }
            for student in students
        )
    return SampleTable("Courses", create_request("Courses", [("PK", "S"), ("SK", "S")]), tuple(items))
