-- Reads a workflow at one time: MULTI would be refused by a full Redis.
-- ARGV: id.
-- Returns fields and values of its record, nodes and plans.
local found = {}
for i, kind in ipairs({'', '_nodes', '_plans'}) do
  found[i] = redis.call('HGETALL', RAFFIA .. 'workflow' .. kind .. ':' .. ARGV[1])
end
return found
