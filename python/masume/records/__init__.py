"""What games leave behind: arrays, the folder of a run, replays."""
