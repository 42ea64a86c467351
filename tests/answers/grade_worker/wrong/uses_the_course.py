# layer: source
# says: `ringlab` can't be imported
from ringlab.grading.judge import judge


def grade_worker(path, world_size, timeout):
    return judge(path)
