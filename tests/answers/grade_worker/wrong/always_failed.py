# layer: behaviour
# says: it should be 'could not be judged'
def grade_worker(path, world_size, timeout):
    return "failed"
