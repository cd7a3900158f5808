-- Forgets flows that ended before a time.
-- ARGV: time, maximum.
-- Returns their number.
-- Parts: flow_keys
local ids = redis.call('ZRANGE', RAFFIA .. 'flow_ends', '-inf', '(' .. ARGV[1], 'BYSCORE',
  'LIMIT', 0, ARGV[2])
for _, id in ipairs(ids) do
  local status = redis.call('HGET', FLOW .. id, 'status')
  if status then redis.call('ZREM', RAFFIA .. 'flows:' .. status, id) end
  redis.call('ZREM', RAFFIA .. 'flow_ends', id)
  redis.call('UNLINK', FLOW .. id, flow_part(id, 'steps'), flow_part(id, 'waits'),
    flow_part(id, 'awaits'), flow_part(id, 'signals'), flow_part(id, 'keys'),
    flow_part(id, 'children'))
end
return #ids
