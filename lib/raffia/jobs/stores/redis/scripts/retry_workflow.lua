-- Runs a step of a workflow and all that depend on it once more.
-- ARGV: id, name of the step.
-- Returns 1; 0 without such a workflow; or why the step cannot be retried.
-- Parts: ends
local t = workflows().tables.load(ARGV[1])
if not t then return 0 end
local why = workflows().restart(t, ARGV[2])
if why then return why end
save_workflows()
return 1
