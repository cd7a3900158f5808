-- The flow of a claimed job, for scripts whose first arguments are: token, field of the claim, id,
-- and what the worker has read: run and number of steps, or ''.
-- Parts: flow_keys
local TOKEN, REF, ID = ARGV[1], ARGV[2], ARGV[3]
local CLAIMS = 'raffia:claims:' .. TOKEN
local STEPS = flow_part(ID, 'steps')
local run, steps, cancelled -- of the flow, as this script leaves it

-- Redis has come back with data from before steps that this run has seen. The next run begins with
-- those that are left.
local function go_back(payload)
  -- Here: common
  redis.call('HDEL', CLAIMS, REF)
  redis.call('HSET', FLOW .. ID, 'error', 'Redis came back with older data: steps after number '
    .. steps .. ' were executed, and are executed again')
  put_back(TOKEN, REF, payload)
end

-- Returns the payload of the claim. Else nil and the script's answer: false when the claim is not
-- valid, 0 when its job has no flow.
local function held()
  local payload = redis.call('HGET', CLAIMS, REF)
  if not payload then return nil, false end
  run, steps, cancelled = unpack(redis.call('HMGET', FLOW .. ID, 'run', 'steps', 'cancelled'))
  if not run then return nil, 0 end
  steps, cancelled = tonumber(steps), cancelled == '1'
  local known_run, known_steps = string.match(ARGV[4], '^(%d+) (%d+)$')
  if known_run and (run ~= known_run or steps < tonumber(known_steps)) then
    go_back(payload)
    return nil, false
  end
  return payload
end

-- Deaths of workers before a step do not count any more. `payload` is without them, or ''.
local function uncharge(payload)
  if payload ~= '' then redis.call('HSET', CLAIMS, REF, payload) end
end

-- The run and the number of steps that the worker knows after this script.
local function known() return run .. ' ' .. steps end
