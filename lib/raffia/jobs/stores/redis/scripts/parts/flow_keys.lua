-- Durable functions. `raffia:flow:ID` is a hash; beside it are
--   flow_steps:ID     hash, place => step as text
--   flow_waits:ID     places of steps that wait, by the time when they end
--   flow_awaits:ID    hash, signal => number of steps that wait for it
--   flow_signals:ID   signals that were not taken: name, number and payload
--   flow_keys:ID      names and keys of all signals with a key
--   flow_children:ID  children that a cancel reaches
-- and for all `flows:STATUS`, ids by the number of the flow, and `flow_ends`, ids by the time.
-- Needs no other part.
local FLOW = 'raffia:flow:'
local FLOW_ENDED = {done = true, cancelled = true, failed = true}

local function flow_part(id, name) return 'raffia:flow_' .. name .. ':' .. id end

local function set_status(id, status)
  local key = FLOW .. id
  local before, number = unpack(redis.call('HMGET', key, 'status', 'number'))
  if before == status then return end
  redis.call('ZREM', 'raffia:flows:' .. before, id)
  redis.call('ZADD', 'raffia:flows:' .. status, number, id)
  redis.call('HSET', key, 'status', status)
end
