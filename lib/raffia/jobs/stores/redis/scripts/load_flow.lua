-- Begins a run.
-- ARGV: see held_flow.lua.
-- Returns the hash, steps and signals, and what the worker has read.
-- Parts: none held_flow
local payload, answer = held()
if not payload then return answer end
local status = redis.call('HGET', FLOW .. ID, 'status')
if status == 'stuck' then redis.call('HDEL', FLOW .. ID, 'error') end
if not FLOW_ENDED[status] then set_status(ID, 'running') end
return {redis.call('HGETALL', FLOW .. ID), redis.call('HGETALL', STEPS),
  redis.call('ZRANGE', flow_part(ID, 'signals'), 0, -1), known()}
