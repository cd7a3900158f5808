-- Moves jobs into the lease's hash: name.number queue => payload.
-- ARGV: token, name of this claim, maximum, 1 for suspects only or 0 for no suspects, 1 to claim
-- jobs whose rate opens soon or 0, queues.
-- Returns for each queue with jobs its name, the lengths of payloads as 32-bit numbers, the
-- payloads in one string (a client in Ruby reads that faster than many strings), and how many jobs
-- have expired. With jobs that begin later also a list of an index and seconds as text for each of
-- them. A 0 in the end: there may be more.
-- Parts: rates ends
local token, name, left, suspects = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4] == '1'
if not holds(token) then return {} end

local ahead = ARGV[5] == '1'

-- One EXISTS for the usual case: no queue is paused, no job has a priority, and no rate blocks any.
local keys = {'paused', OPENS}
for i = 6, #ARGV do keys[i - 3] = RAFFIA .. 'queue:' .. ARGV[i] end
local special = redis.call('EXISTS', unpack(keys)) > 0
local paused, pauses = {}, false -- queues, and whether there are tenants
if special then
  for _, queue in ipairs(redis.call('SMEMBERS', 'paused')) do paused[queue] = true end
  pauses = redis.call('EXISTS', RAFFIA .. 'paused') == 1
  open_rates(left, ahead)
end
local number = 0
local page = 50 -- jobs taken at a time
local bytes = 8 * 1024 * 1024 -- after which no more are taken
local found, fields, lengths, delays = {}, {}, {}, {}
local expired = 0 -- jobs of the present queue
local refused, MOST_REFUSED = 0, 1000 -- jobs over their limit or rate, in one script

-- Whether the tenant of a fair job is paused: the job has been blocked.
local function block_by_pause(queue, payload, own, item)
  local fair = pauses and fair_of(own)
  local name = fair and queue .. ' ' .. fair.key
  if not fair or redis.call('SISMEMBER', RAFFIA .. 'paused', name) == 0 then return false end
  redis.call('RPUSH', RAFFIA .. 'blocked:tenant:' .. name, queue .. ' ' .. payload)
  redis.call('SADD', RAFFIA .. 'blocked', 'tenant:' .. name)
  note_unique(own, item.jid, RAFFIA .. 'blocked:tenant:' .. name, payload)
  return true
end

-- Returns whether a job may begin now; if not, it has been moved to its set. A limit may have
-- returned it: the next one takes its place then.
local function admit(queue, payload, own, item, ref)
  local expires = tonumber(own.expires_at)
  local over = expires and expires <= now()
  if over or cancelled_step(own) then
    if over then expired = expired + 1 end
    settle(own, item, true)
    release_limit(own, '')
    return false
  end
  if block_by_pause(queue, payload, own, item) then
    release_limit(own, '')
    return false
  end
  local limit = part(own, 'limit')
  if limit then
    local running = RAFFIA .. 'running:' .. limit.key
    if redis.call('SCARD', running) >= limit.max then
      redis.call('RPUSH', RAFFIA .. 'blocked:' .. limit.key, queue .. ' ' .. payload)
      redis.call('SADD', RAFFIA .. 'blocked', limit.key)
      note_unique(own, item.jid, RAFFIA .. 'blocked:' .. limit.key, payload)
      return false
    end
  end
  local spec = rate_of(own)
  local rate = spec and load_rate(spec.key, spec)
  local time = rate and grant(rate, spec, ahead and rate.lead or 0)
  if rate and not time then
    block_by_rate(rate, {cost = spec.cost, unique = own.unique}, queue, payload, item.jid)
    release_limit(own, '')
    return false
  end
  if limit then
    redis.call('SADD', RAFFIA .. 'running:' .. limit.key, token .. ' ' .. ref)
  end
  local unique = part(own, 'unique')
  if unique then
    if unique['until'] == 'start' then
      release_unique(own, item.jid)
    elseif redis.call('HGET', RAFFIA .. 'unique:' .. unique.key, 'jid') == item.jid then
      redis.call('HDEL', RAFFIA .. 'unique:' .. unique.key, 'set', 'payload')
    end
  end
  return true, time and time > rate.now and time - rate.now
end

local function take(list, queue, payload, own, item)
  local ref = name .. '.' .. number .. ' ' .. queue
  if own then
    -- It has left its queue already, and an error must not lose it.
    local well, yes, wait = pcall(admit, queue, payload, own, item, ref)
    if well and not yes then
      refused = refused + 1
      return
    end
    if well and wait then
      delays[#delays + 1] = #list
      delays[#delays + 1] = string.format('%.6f', wait)
    end
  end
  list[#list + 1] = payload
  lengths[#lengths + 1] = struct.pack('<I4', #payload)
  fields[#fields + 1] = ref
  fields[#fields + 1] = payload
  number = number + 1
  left = left - 1
  bytes = bytes - #payload
end

-- A key without jobs in a fair queue is forgotten. Returns the turn of the job.
local function pass_turn(queue, member, own, score)
  local fair = fair_of(own)
  if not fair then return nil end
  local name, pass = RAFFIA .. 'fair:' .. queue .. ' ' .. score, tonumber(string.sub(member, 2, 16))
  local last = tonumber(redis.call('HGET', name, 'k' .. fair.key))
  if last and last <= pass then redis.call('HDEL', name, 'k' .. fair.key) end
  return pass
end

local function take_member(list, queue, member, score)
  local payload = payload_of(member)
  local own, item = extras(payload)
  local pass = nil
  if string.sub(member, 1, 1) == '2' then pass = pass_turn(queue, member, own, score) end
  take(list, queue, payload, own, item)
  return pass
end

-- The turn of a fair queue goes on.
local function keep_turn(queue, score, pass)
  if not pass then return end
  local name = RAFFIA .. 'fair:' .. queue .. ' ' .. score
  redis.call('HSET', name, 'turn', string.format('%.0f', pass))
end

local function take_by_priority(list, queue, from, to)
  local key = RAFFIA .. 'queue:' .. queue
  while left > 0 and bytes > 0 and refused < MOST_REFUSED do
    local rows = redis.call('ZRANGE', key, from, to, 'BYSCORE', 'LIMIT', 0, math.min(left, page),
      'WITHSCORES')
    if #rows == 0 then return end
    local members = {}
    for i = 1, #rows, 2 do members[#members + 1] = rows[i] end
    redis.call('ZREM', key, unpack(members))
    local before, turn = nil, nil
    for i, member in ipairs(members) do
      local score = rows[2 * i]
      if score ~= before then keep_turn(queue, before, turn) end
      if score ~= before then turn = nil end
      turn = take_member(list, queue, member, score) or turn
      before = score
    end
    keep_turn(queue, before, turn)
  end
end

local function take_in_order(list, queue)
  while left > 0 and bytes > 0 and refused < MOST_REFUSED do
    local payloads = redis.call('RPOP', 'queue:' .. queue, math.min(left, page))
    if not payloads then return end
    for _, payload in ipairs(payloads) do take(list, queue, payload, extras(payload)) end
  end
end

for i = 6, #ARGV do
  local queue = ARGV[i]
  if left > 0 and not paused[queue] then
    local list = {}
    lengths, delays, expired = {}, {}, 0
    if suspects then
      take_by_priority(list, queue, '-inf', SUSPECTS)
    else
      if special then take_by_priority(list, queue, '(' .. SUSPECTS, '(0') end
      take_in_order(list, queue)
      if special then take_by_priority(list, queue, '0', '+inf') end
    end
    if #list > 0 or expired > 0 then
      found[#found + 1] = {queue, table.concat(lengths), table.concat(list), expired,
        #delays > 0 and delays or nil}
    end
  end
end
for i = 1, #fields, 1000 do
  redis.call('HSET', RAFFIA .. 'claims:' .. token, unpack(fields, i, math.min(i + 999, #fields)))
end
save_rates()
save_workflows()
if number == 0 and refused >= MOST_REFUSED then found[#found + 1] = 0 end
return found
