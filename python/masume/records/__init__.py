"""Records of games: arrays, the folder of a run, replays."""
