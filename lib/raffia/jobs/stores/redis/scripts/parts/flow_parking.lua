-- Moves of a claimed job with a flow to other sets.
-- Parts: held_flow flows
local FOREVER = 253402214400 -- Store::Flows::NEVER

-- Ends the claim; `put` gets the fields of the payload.
local function leave(payload, status, put)
  redis.call('HDEL', CLAIMS, REF)
  local own = extras(payload)
  set_status(ID, status)
  put(own)
  release_limit(own, TOKEN .. ' ' .. REF)
end

-- Moves the job to `schedule`. A wait without an end has a time of its own there, by which it is
-- found.
local function park(payload, status, at)
  if tonumber(at) >= FOREVER then
    at = string.format('%.0f', FOREVER + tonumber(redis.call('HGET', FLOW .. ID, 'number')))
  end
  leave(payload, status, function(own)
    redis.call('HSET', FLOW .. ID, 'wakes_at', at)
    redis.call('ZADD', 'schedule', at, payload)
    note_unique(own, ID, 'schedule', payload)
  end)
end
