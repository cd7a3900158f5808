-- Functions of all scripts. They never encode a payload: cjson would turn [] into {}.
local RAFFIA = 'raffia:'

-- Functions of parts for begins and ends of jobs, by the field under "raffia" that they are for.
-- `starts` gets the fields and the job; `ends` also whether it failed.
local starts, ends = {}, {}

local function now()
  local time = redis.call('TIME')
  return tonumber(time[1]) + tonumber(time[2]) / 1000000
end

-- Leases are in a hash, token => identity, and in `expiry` by their end. Only recovery reads the
-- end: a lease that ran out unseen goes on.
local function holds(token) return redis.call('HEXISTS', RAFFIA .. 'leases', token) == 1 end

local function extend(token, milliseconds)
  redis.call('ZADD', RAFFIA .. 'expiry', now() + milliseconds / 1000, token)
end

local function end_lease(token)
  redis.call('HDEL', RAFFIA .. 'leases', token)
  redis.call('ZREM', RAFFIA .. 'expiry', token)
end

-- Removes a worker, unless it has begun another lease.
local function forget_worker(identity, token)
  if redis.call('HGET', identity, 'raffia') ~= token then return end
  redis.call('SREM', 'processes', identity)
  redis.call('UNLINK', identity, identity .. ':work', identity .. '-signals',
    RAFFIA .. 'orders:' .. identity)
end

-- `values` has the names in order; `passing` the names of values that expire, by time.
local function set_value(name, value, milliseconds)
  if value then
    redis.call('SET', RAFFIA .. 'value:' .. name, value)
    redis.call('ZADD', RAFFIA .. 'values', 0, name)
  else
    redis.call('DEL', RAFFIA .. 'value:' .. name)
    redis.call('ZREM', RAFFIA .. 'values', name)
  end
  if value and milliseconds then
    redis.call('PEXPIRE', RAFFIA .. 'value:' .. name, milliseconds)
    redis.call('ZADD', RAFFIA .. 'passing', now() + milliseconds / 1000, name)
  else
    redis.call('ZREM', RAFFIA .. 'passing', name)
  end
end

-- Returns a payload's fields under "raffia", and all of it; nil for most jobs, which are not
-- parsed.
local function extras(payload)
  if not string.find(payload, '"raffia"', 1, true) then return nil end
  local ok, item = pcall(cjson.decode, payload)
  if not ok or type(item) ~= 'table' or type(item.raffia) ~= 'table' then return nil end
  return item.raffia, item
end

-- Returns the field `unique` or `limit` if it is valid: other programs write payloads, too.
local function part(own, name)
  local value = own and own[name]
  if type(value) ~= 'table' or type(value.key) ~= 'string' then return nil end
  if name == 'limit' and not (type(value.max) == 'number' and value.max >= 1) then return nil end
  return value
end

-- A suspect may have caused a worker's death: it stands before all others of its queue, and runs
-- alone. See Store::SUSPECT.
local SUSPECT = 2 ^ 50
local SUSPECTS = string.format('%.0f', -SUSPECT / 2) -- the highest score of suspects

-- Returns the key of a fair job, and the stride between its turns; nil or false for another job.
local function fair_of(own)
  local fair = part(own, 'fair')
  local weight = fair and (tonumber(fair.weight) or 1)
  return fair and weight > 0
    and {key = fair.key, stride = math.max(math.floor(1000 / weight + 0.5), 1)}
end

-- The next turn of a job's key, see Store::FairOrder: a hash has each key's last turn, and the turn
-- that was claimed last. A job at the front takes the present turn.
local function turn(name, fair, front)
  local base = tonumber(redis.call('HGET', name, 'turn')) or 1000
  if front then return base end
  local last = tonumber(redis.call('HGET', name, 'k' .. fair.key))
  local pass = last and math.max(base, last + fair.stride) or base
  redis.call('HSET', name, 'k' .. fair.key, string.format('%.0f', pass))
  return pass
end

-- Raffia's set of a queue has members of a mark, a place and the payload: 0 in front, 1 behind, 2
-- with a turn before its place.
local function payload_of(member)
  return string.sub(member, string.sub(member, 1, 1) == '2' and 33 or 17)
end

-- Adds a job to Sidekiq's list; with a priority or a fair key, to Raffia's set.
local function enqueue(queue, payload, own, front)
  redis.call('SADD', 'queues', queue)
  local priority = own and tonumber(own.priority) or 0
  if math.abs(priority) >= SUSPECT / 2 then priority = 0 end -- written by another program
  if own and (tonumber(own.crashes) or 0) > 0 then priority = priority + SUSPECT end
  local fair = fair_of(own)
  if priority == 0 and not fair then
    redis.call(front and 'RPUSH' or 'LPUSH', 'queue:' .. queue, payload)
  else
    local place = redis.call('INCR', RAFFIA .. 'place')
    local key = front and string.format('0%015d', 999999999999999 - place)
      or string.format('1%015d', place)
    local score = string.format('%.0f', -priority)
    if fair then
      local pass = turn(RAFFIA .. 'fair:' .. queue .. ' ' .. score, fair, front)
      key = '2' .. string.format('%015.0f', pass) .. key
    end
    redis.call('ZADD', RAFFIA .. 'queue:' .. queue, score, key .. payload)
  end
end

-- Frees the key of a unique job, if the job owns it.
local function release_unique(own, jid)
  local unique = part(own, 'unique')
  if not unique then return end
  local key = RAFFIA .. 'unique:' .. unique.key
  if redis.call('HGET', key, 'jid') == jid then redis.call('DEL', key) end
end

-- Notes where a unique job waits, for one that replaces it.
local function note_unique(own, jid, set, payload)
  local unique = part(own, 'unique')
  if not unique then return end
  local key = RAFFIA .. 'unique:' .. unique.key
  if redis.call('HGET', key, 'jid') == jid then
    redis.call('HSET', key, 'set', set, 'payload', payload)
  end
end

-- Ends a run of a limited job: the oldest job that its key blocks goes to the front of its queue.
local function release_limit(own, holder)
  local limit = part(own, 'limit')
  if not limit then return end
  local running, blocked = RAFFIA .. 'running:' .. limit.key, RAFFIA .. 'blocked:' .. limit.key
  redis.call('SREM', running, holder)
  if redis.call('SCARD', running) >= limit.max then return end
  local entry = redis.call('LPOP', blocked)
  if not entry then return end
  if redis.call('LLEN', blocked) == 0 then redis.call('SREM', RAFFIA .. 'blocked', limit.key) end
  local queue, payload = string.match(entry, '^(%S+) (.*)$')
  local next_own, item = extras(payload)
  note_unique(next_own, item and item.jid, 'queue', payload)
  enqueue(queue, payload, next_own, true)
end

local function batch_key(own)
  return own and type(own.batch) == 'string' and RAFFIA .. 'batch:' .. own.batch or nil
end

-- Counts a new job in its batch.
local function count_in(own)
  local batch = batch_key(own)
  if not batch then return end
  redis.call('HINCRBY', batch, 'total', 1)
  redis.call('HINCRBY', batch, 'pending', 1)
end

-- Begins a job: it was added to a set.
local function started(own, item)
  if not own then return end
  count_in(own)
  for field, start in pairs(starts) do
    if own[field] then start(own, item) end
  end
end

-- Enqueues a callback, once. Its payload was written without the time of the enqueue.
local function callback(batch, name)
  local draft = redis.call('HGET', batch, 'on_' .. name)
  if not draft then return end
  redis.call('HDEL', batch, 'on_' .. name)
  local version, queue, payload = string.match(draft, '^(%S+) (%S+) (.*)$')
  local time = version == '7' and string.format('%.6f', now())
    or string.format('%d', math.floor(now() * 1000))
  payload = string.sub(payload, 1, -2) .. ',"enqueued_at":' .. time .. '}'
  local own, item = extras(payload)
  started(own, item)
  enqueue(queue, payload, own, false)
end

local number_in = function(key, field) return tonumber(redis.call('HGET', key, field) or 0) end
local count_end

-- Counts a complete batch in its parent, as a job.
local function update_parent(batch)
  local parent = redis.call('HGET', batch, 'parent')
  if not parent then return end
  local told, failed = redis.call('HGET', batch, 'told'), number_in(batch, 'dead') > 0
  if told == 'done' or (told == 'dead' and failed) then return end
  redis.call('HSET', batch, 'told', failed and 'dead' or 'done')
  local dead = told == 'dead' and -1 or (failed and 1 or 0)
  count_end(RAFFIA .. 'batch:' .. parent, told == 'dead' and 0 or -1, dead)
end

local function complete_batch(batch)
  if redis.call('HGET', batch, 'sealed') ~= '1' or number_in(batch, 'pending') > 0 then return end
  local time = string.format('%.6f', now())
  if redis.call('HSETNX', batch, 'completed_at', time) == 1 then
    redis.call('ZADD', RAFFIA .. 'completed', time, batch)
  end
  callback(batch, 'complete')
  if number_in(batch, 'dead') == 0 then callback(batch, 'success') end
  update_parent(batch)
end

function count_end(batch, pending, dead)
  if redis.call('EXISTS', batch) == 0 then return end
  redis.call('HINCRBY', batch, 'pending', pending)
  redis.call('HINCRBY', batch, 'dead', dead)
  if dead > 0 then callback(batch, 'death') end
  complete_batch(batch)
end

-- Ends a job for good: frees its key, and counts it in its batch. `item` is the last payload,
-- `result` the JSON that a step of a workflow has returned.
local function settle(own, item, failed, result)
  if not own then return end
  local unique = part(own, 'unique')
  if unique and unique['until'] ~= 'window' then release_unique(own, item.jid) end
  local batch = batch_key(own)
  if batch then count_end(batch, -1, failed and 1 or 0) end
  for field, ended in pairs(ends) do
    if own[field] then ended(own, item, failed, result) end
  end
end

-- Sorts claims, the newest first: `name.number queue`, and names are numbers that grow.
local function newest_first(one, other)
  local name, number = string.match(one[1], '^(%d+)%.(%d+) ')
  local other_name, other_number = string.match(other[1], '^(%d+)%.(%d+) ')
  if name == other_name then return tonumber(number) > tonumber(other_number) end
  return tonumber(name) > tonumber(other_name)
end

-- Moves a claimed job to the front of its queue.
local function put_back(token, ref, payload)
  local own, item = extras(payload)
  local queue = string.match(ref, ' (.*)$')
  note_unique(own, item and item.jid, 'queue', payload)
  enqueue(queue, payload, own, true)
  release_limit(own, token .. ' ' .. ref)
end

-- Removes a job from a key. Returns whether it was there.
local function remove(place, member)
  local blocked = string.match(place, '^raffia:blocked:(.*)$')
  if string.find(place, '^raffia:claims:') then return redis.call('HDEL', place, member) == 1 end
  if not blocked and not string.find(place, '^queue:') then
    return redis.call('ZREM', place, member) == 1
  end
  local gone = redis.call('LREM', place, -1, member) == 1
  if blocked and redis.call('EXISTS', place) == 0 then
    redis.call('SREM', RAFFIA .. 'blocked', blocked)
  end
  return gone
end

-- Counts a dead job that is tried again.
local function revive_in_batch(own)
  local batch = batch_key(own)
  if batch and redis.call('EXISTS', batch) == 1 then
    redis.call('HINCRBY', batch, 'pending', 1)
    redis.call('HINCRBY', batch, 'dead', -1)
  end
end
