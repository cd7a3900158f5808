-- Durable functions: their beginnings, ends, signals and wakes.
-- Parts: flow_keys

local function seconds(time) return string.format('%.6f', time) end

-- Whether the flow exists and has not ended.
local function flow_open(id)
  local status = redis.call('HGET', FLOW .. id, 'status')
  return status and not FLOW_ENDED[status]
end

local function add_child(parent, id)
  if parent and redis.call('EXISTS', FLOW .. parent) == 1 then
    redis.call('SADD', flow_part(parent, 'children'), id)
  end
end

-- Returns the id of the flow if the fields are valid: other programs write payloads, too.
local function flow_of(own, item)
  local about = own and own.flow
  if type(about) ~= 'table' or type(about.class) ~= 'string' then return nil end
  return type(item.jid) == 'string' and item.jid or nil
end

local function start_flow(own, item)
  local about, id = own.flow, flow_of(own, item)
  if not id then return end
  if redis.call('EXISTS', FLOW .. id) == 1 then return end
  local number = redis.call('INCR', RAFFIA .. 'flow_number')
  redis.call('HSET', FLOW .. id, 'class', about.class, 'number', number, 'run', 1,
    'status', 'pending', 'steps', 0, 'sent', 0, 'started_at', seconds(now()))
  redis.call('ZADD', RAFFIA .. 'flows:pending', number, id)
  if about.encrypted == true then redis.call('HSET', FLOW .. id, 'encrypted', 1) end
  if type(about.parent) ~= 'string' then return end
  redis.call('HSET', FLOW .. id, 'parent', about.parent)
  if about.abandon == true then
    redis.call('HSET', FLOW .. id, 'abandon', 1)
  else
    add_child(about.parent, id)
  end
end

-- Names come with their length, so none is the beginning of another.
local function prefix(name) return #name .. ':' .. name end

-- Returns the oldest signal of a name, nil for none.
local function untaken(id, name)
  local from = prefix(name)
  return redis.call('ZRANGE', flow_part(id, 'signals'), '[' .. from, '(' .. from .. ':', 'BYLEX',
    'LIMIT', 0, 1)[1]
end

-- A payload of `schedule` is queued: Ruby has left its time out, because Lua cannot rewrite it.
local function queued(payload, item)
  if item.enqueued_at then return payload end
  local milliseconds = (tonumber(item.created_at) or math.huge) > 1e11
  local time = milliseconds and string.format('%d', math.floor(now() * 1000)) or seconds(now())
  return string.sub(payload, 1, -2) .. ',"enqueued_at":' .. time .. '}'
end

-- Moves the job of a flow that waits to its queue.
local function wake(id)
  local status, wakes_at = unpack(redis.call('HMGET', FLOW .. id, 'status', 'wakes_at'))
  if status ~= 'waiting' or not wakes_at then return end
  for _, payload in ipairs(redis.call('ZRANGE', 'schedule', wakes_at, wakes_at, 'BYSCORE')) do
    local own, item = extras(payload)
    if item and item.jid == id then
      redis.call('ZREM', 'schedule', payload)
      set_status(id, 'running')
      payload = queued(payload, item)
      note_unique(own, id, 'queue', payload)
      local queue = item.queue
      if type(queue) ~= 'string' or queue == '' then queue = 'default' end
      return enqueue(queue, payload, own, false)
    end
  end
end

-- Returns whether the signal is new.
local function send_signal(id, name, payload, key)
  if key and redis.call('SADD', flow_part(id, 'keys'), prefix(name) .. key) == 0 then
    return false
  end
  local number = redis.call('HINCRBY', FLOW .. id, 'sent', 1)
  redis.call('ZADD', flow_part(id, 'signals'), 0,
    prefix(name) .. string.format('%015d', number) .. payload)
  if redis.call('HEXISTS', flow_part(id, 'awaits'), name) == 1 then wake(id) end
  return true
end

-- Ends a flow, and tells its parent. `result` is JSON.
local function settle_flow(id, status, result, message)
  local key, time = FLOW .. id, seconds(now())
  set_status(id, status)
  redis.call('HDEL', key, 'result', 'error', 'wakes_at')
  redis.call('HSET', key, 'ended_at', time)
  if result then redis.call('HSET', key, 'result', result) end
  if message then redis.call('HSET', key, 'error', message) end
  redis.call('ZADD', RAFFIA .. 'flow_ends', time, id)
  local parent = redis.call('HGET', key, 'parent')
  if not parent then return end
  redis.call('SREM', flow_part(parent, 'children'), id)
  if not flow_open(parent) then return end
  send_signal(parent, 'child:' .. id, '{"status":"' .. status .. '","result":' ..
    (result or 'null') .. ',"error":' .. (message and cjson.encode(message) or 'null') .. '}')
end

-- See Store::Flows.failure.
local function failure_of(item)
  local class, message = item.error_class, item.error_message
  if type(class) ~= 'string' then return nil end
  local sealed = item.raffia and item.raffia.error
  if type(sealed) == 'string' then message = '{"raffia:enc":' .. cjson.encode(sealed) .. '}' end
  return class .. ': ' .. (type(message) == 'string' and message or '')
end

local function end_flow(own, item, failed)
  local id = flow_of(own, item)
  if not id or not flow_open(id) then return end
  if failed then return settle_flow(id, 'failed', nil, failure_of(item)) end
  settle_flow(id, 'done')
end

-- A dead job is tried again.
local function revive_flow(own, item)
  local id = flow_of(own, item)
  if not id or redis.call('EXISTS', FLOW .. id) == 0 then return end
  set_status(id, 'pending')
  redis.call('HDEL', FLOW .. id, 'ended_at')
  redis.call('ZREM', RAFFIA .. 'flow_ends', id)
  local parent, abandon = unpack(redis.call('HMGET', FLOW .. id, 'parent', 'abandon'))
  if not abandon then add_child(parent, id) end
end
