"""Write the six tables of this folder: small, made up, and as untidy as real ones.

Run `python examples/data/make.py [folder]`. The same seed gives the same files to the last byte.
"""

from __future__ import annotations

import datetime as dt
import sys
from pathlib import Path

import numpy as np

Random = np.random.Generator
FIRST_DAY = dt.date(2023, 1, 2)


def make_customers(random: Random) -> bytes:
    """Return customers who leave or stay: a semicolon file from a German spreadsheet, in Windows-1252."""
    lines = ["Kundennummer;Name;Stadt;Kunde seit;Umsatz;Rabatt;Newsletter;Gekündigt"]
    cities = ["München", "Köln", "Hamburg", "Düsseldorf"]
    for number in range(300):
        since = FIRST_DAY - dt.timedelta(days=int(random.integers(0, 3000)))
        revenue, discount = random.lognormal(7, 1), int(random.integers(0, 30))
        newsletter = bool(random.random() < 0.5)
        leaves = revenue / 1500 + 1.5 * newsletter + random.normal(scale=0.5) < 1.2
        amount = f"{revenue:,.2f}".translate(str.maketrans(",.", ".,"))
        cells = [f"K-{10_000 + 7 * number}", f"Müller {number}", random.choice(cities), since.strftime("%d.%m.%Y")]
        cells += [f"{amount} €", f"{discount} %", "ja" if newsletter else "nein", "ja" if leaves else "nein"]
        lines.append(";".join(cells))
    return "\r\n".join([*lines, ""]).encode("cp1252")


def make_tickets(random: Random) -> bytes:
    """Return messages to a help desk and who should answer them; the label is written in several ways."""
    topics = {
        "billing": ["invoice shows the wrong amount", "was charged twice this month", "refund has not arrived yet"],
        "technical": ["app crashes after the update", "cannot log in any more", "screen stays black on start"],
        "delivery": ["parcel has not arrived", "box was damaged when it came", "wrong item in the parcel"],
    }
    openings = ["Hello, my", "Good morning, the", "Please help, the", "Third time now: the", "Since Monday the"]
    lines = ["id,received,message,customer,team"]
    for number in range(240):
        team = str(random.choice(list(topics)))
        text = f"{random.choice(openings)} {random.choice(topics[team])}, order {random.integers(1000, 9999)}"
        received = dt.datetime.combine(FIRST_DAY, dt.time(8)) + dt.timedelta(minutes=97 * number)
        written = str(random.choice([team, team, team, team.capitalize(), f"{team} "]))
        kind = random.choice(["private", "business"])
        lines.append(f'{number + 1},{received.isoformat(" ", "minutes")},"{text}",{kind},{written}')
    return "\n".join([*lines, ""]).encode()


def make_machines(random: Random) -> bytes:
    """Return measurements of machines, few of them before a failure; some are missing. UTF-16, as "Unicode text"."""
    lines = ["machine\ttime\ttemperature\tpressure\tdoor open\tstate"]
    for number in range(600):
        fails = bool(random.random() < 0.04)
        temperature, pressure = random.normal(70 + 12 * fails, 4), random.normal(2.0 - 0.4 * fails, 0.15)
        moment = dt.datetime.combine(FIRST_DAY, dt.time()) + dt.timedelta(hours=3 * number)
        warm = "" if random.random() < 0.03 else f"{temperature:.1f}"
        cells = [f"M{random.integers(1, 6)}", moment.strftime("%m/%d/%Y %I:%M %p"), warm, f"{pressure:.3f}"]
        lines.append("\t".join([*cells, str(random.choice(["Y", "N"])), "failure" if fails else "ok"]))
    return "\r\n".join([*lines, ""]).encode("utf-16")


def make_loans(random: Random) -> bytes:
    """Return loans with dollars, thousands separators and percentages."""
    lines = ["loan_id,issued,amount,rate,purpose,income,repaid"]
    purposes = ["car", "house", "education", "business", "other"]
    for _ in range(400):
        amount, income, rate = random.lognormal(9, 0.7), random.lognormal(10.8, 0.5), random.uniform(3, 22)
        issued = FIRST_DAY + dt.timedelta(days=int(random.integers(0, 700)))
        repaid = income / amount - rate / 4 + random.normal(scale=1.0) > 0
        cells = [str(random.integers(10**8, 10**9)), issued.strftime("%b %d, %Y"), f"${amount:,.2f}", f"{rate:.2f}%"]
        cells += [str(random.choice(purposes)), f"${income:,.0f}", "TRUE" if repaid else "FALSE"]
        lines.append(",".join(f'"{cell}"' if "," in cell else cell for cell in cells))
    return "\n".join([*lines, ""]).encode("utf-8-sig")


def make_houses(random: Random) -> bytes:
    """Return houses and their prices: a quantity, not a class."""
    lines = ["area,rooms,built,district,price"]
    for _ in range(300):
        area, built = random.uniform(40, 220), int(random.integers(1900, 2023))
        district = str(random.choice(["north", "south", "old town"]))
        price = 2500 * area * (1.5 if district == "old town" else 1.0) + 300 * (built - 1900) + random.normal(0, 2e4)
        lines.append(f"{area:.1f},{int(area // 28) + 1},{built},{district},{price:.2f}")
    return "\n".join([*lines, ""]).encode()


def make_broken(random: Random) -> bytes:
    """Return a table with a bit of everything that can be wrong."""
    rows = [[f"{random.integers(18, 80)}", str(random.choice(["Rome", "Oslo"])), "a"] for _ in range(40)]
    for place in range(1, 40, 2):
        rows[place][2] = "b"
    rows[4][0], rows[7][1], rows[9][2], rows[12][0] = "", "?", "", "forty"
    lines = ["age,city,label", *(",".join(row) for row in rows)]
    lines[20] += ",extra"
    lines[30] = "33,Rome"
    return "\n".join([*lines, ""]).encode()


FILES = {
    "customers.csv": make_customers,
    "tickets.csv": make_tickets,
    "machines.txt": make_machines,
    "loans.csv": make_loans,
    "houses.csv": make_houses,
    "broken.csv": make_broken,
}


def main(folder: Path) -> None:
    """Write all files."""
    for seed, (name, make) in enumerate(FILES.items()):
        (folder / name).write_bytes(make(np.random.default_rng(seed)))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
