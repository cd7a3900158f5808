-- The flow of a claimed job, for scripts whose first arguments are: token, field of the claim, id,
-- and what the worker has read: run and number of steps, or ''.
-- Parts: flows
local TOKEN, REF, ID = ARGV[1], ARGV[2], ARGV[3]
local CLAIMS = RAFFIA .. 'claims:' .. TOKEN
local STEPS = flow_part(ID, 'steps')
local FOREVER = 253402214400 -- Store::Flows::NEVER

-- Redis has come back with data from before steps that this run has seen. The next run begins with
-- those that are left.
local function go_back(payload)
  redis.call('HDEL', CLAIMS, REF)
  redis.call('HSET', FLOW .. ID, 'error', 'Redis came back with older data: steps after number '
    .. redis.call('HGET', FLOW .. ID, 'steps') .. ' were executed, and are executed again')
  put_back(TOKEN, REF, payload)
end

-- Returns the payload of the claim. Else nil and the script's answer: false when the claim is not
-- valid, 0 when its job has no flow.
local function held()
  local payload = redis.call('HGET', CLAIMS, REF)
  if not payload then return nil, false end
  local run, steps = unpack(redis.call('HMGET', FLOW .. ID, 'run', 'steps'))
  if not run then return nil, 0 end
  local known_run, known_steps = string.match(ARGV[4], '^(%d+) (%d+)$')
  if known_run and (run ~= known_run or tonumber(steps) < tonumber(known_steps)) then
    go_back(payload)
    return nil, false
  end
  return payload
end

local function cancelled() return redis.call('HGET', FLOW .. ID, 'cancelled') == '1' end

-- A step is a text of lines: its number, the time of its end or '', what it is as JSON, and its
-- value, which a step that waits does not have.
local function read_step(place)
  local text = redis.call('HGET', STEPS, place)
  if not text then return nil end
  local number, at, about, value = string.match(text, '^(%d+)\n([^\n]*)\n([^\n]*)\n?(.*)$')
  return {number = number, at = at, about = about, value = value ~= '' and value or nil}
end

local function signal_of(about)
  local name = cjson.decode(about)[3]
  return type(name) == 'string' and name or nil
end

local function count_awaits(about, change)
  local name, awaits = signal_of(about), flow_part(ID, 'awaits')
  if name and redis.call('HINCRBY', awaits, name, change) <= 0 then
    redis.call('HDEL', awaits, name)
  end
end

-- `before` is the step that is there.
local function write_step(place, step, before)
  local number = before and before.number or redis.call('HGET', FLOW .. ID, 'steps')
  local lines = {number, step.at, step.about, step.value}
  redis.call('HSET', STEPS, place, table.concat(lines, '\n'))
  if not before then redis.call('HINCRBY', FLOW .. ID, 'steps', 1) end
  if not step.value then
    redis.call('ZADD', flow_part(ID, 'waits'), step.at, place)
    count_awaits(step.about, 1)
  elseif before then
    redis.call('ZREM', flow_part(ID, 'waits'), place)
    count_awaits(before.about, -1)
  end
end

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

-- Deaths of workers before a step do not count any more. `payload` is without them, or ''.
local function uncharge(payload)
  if payload ~= '' then redis.call('HSET', CLAIMS, REF, payload) end
end

-- What the worker has read by now.
local function known() return table.concat(redis.call('HMGET', FLOW .. ID, 'run', 'steps'), ' ') end
