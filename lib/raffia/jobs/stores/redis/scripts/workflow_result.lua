-- ARGV: id, name of a node.
-- Returns the result of a node as JSON; of an `each`, the list of its elements' results.
-- Parts: workflows
local t = workflows().tables.load(ARGV[1])
local node = t and t:node(ARGV[2])
if not node then return false end
if node.kind ~= 'each' then return redis.call('HGET', t:key('_results'), node.name) end
return (workflows().start.result(t, node.name))
