-- Undoes a workflow that is done, or cancels it.
-- ARGV: id, reason.
-- Returns 1 if it is there.
-- Parts: ends
local t = workflows().tables.load(ARGV[1])
if not t then return 0 end
workflows().undo(t, ARGV[2])
save_workflows()
return 1
