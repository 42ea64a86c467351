# layer: behaviour
# says: (0, 4)
def who_am_i() -> tuple[int, int]:
    return 0, 4
