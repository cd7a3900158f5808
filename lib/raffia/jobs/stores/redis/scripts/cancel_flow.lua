-- Tells a flow and its children to end.
-- ARGV: id.
-- Returns 0 when there is no such flow, or it has ended.
-- Parts: flows
if not flow_open(ARGV[1]) then return 0 end
local seen, left = {}, {ARGV[1]}
while #left > 0 do
  local id = table.remove(left)
  if not seen[id] and flow_open(id) then
    seen[id] = true
    redis.call('HSET', FLOW .. id, 'cancelled', 1)
    wake(id)
    for _, child in ipairs(redis.call('SMEMBERS', flow_part(id, 'children'))) do
      left[#left + 1] = child
    end
  end
end
return 1
