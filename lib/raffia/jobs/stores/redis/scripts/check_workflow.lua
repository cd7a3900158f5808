-- ARGV: id of a workflow.
-- Returns how many nodes it counts as pending, and has.
local open = 0
for _, node in ipairs(redis.call('HVALS', RAFFIA .. 'workflow_nodes:' .. ARGV[1])) do
  if string.find(node, '^waiting ') or string.find(node, '^active ') then open = open + 1 end
end
return {number_in(RAFFIA .. 'workflow:' .. ARGV[1], 'pending'), open}
