-- Cancels a workflow. Its waiting jobs are dropped later, or when they are claimed.
-- ARGV: id, reason.
-- Returns 1 if it was running.
-- Parts: ends
local t = workflows().tables.load(ARGV[1])
local cancelled = t and workflows().cancel(t, ARGV[2])
save_workflows()
return cancelled and 1 or 0
