-- Steps of the flow of a claimed job.
-- Parts: held_flow

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
  local lines = {before and before.number or steps, step.at, step.about, step.value}
  redis.call('HSET', STEPS, place, table.concat(lines, '\n'))
  if not before then
    steps = steps + 1
    redis.call('HSET', FLOW .. ID, 'steps', steps)
  end
  if not step.value then
    redis.call('ZADD', flow_part(ID, 'waits'), step.at, place)
    count_awaits(step.about, 1)
  elseif before then
    redis.call('ZREM', flow_part(ID, 'waits'), place)
    count_awaits(before.about, -1)
  end
end
