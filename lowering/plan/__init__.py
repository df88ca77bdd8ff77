"""
Plans: how a program will run, for people.

| module | what it has |
|---|---|
| `model`, `parts` | launches, buffers, loops, and what each launch does to which buffer |
| `segment_facts`, `lives` | what a segment does; how long scratch is needed |
| `table`, `text` | a plan as text: the target `vyre-plan` |
| `drawing`, `layout`, `marks`, `legend`, `svg` | a plan as a picture: `vyre-plan-svg` |
| `wave_plan` | of a megakernel: which waves run together, and their memory |
| `wave_table` | that as text |
| `wave_drawing`, `wave_layout`, `wave_marks` | that as a picture |
"""
