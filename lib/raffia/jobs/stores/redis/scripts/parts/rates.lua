-- Rates, for scripts that claim, release and open. Store::RateLimiter has the arithmetic in Ruby.
-- A key's state is a hash; the starts of a window are in a sorted set by their time, and their
-- numbers in the hash, under "s" and the time. Keys are loaded once in a script, and saved at its
-- end.
local OPENS = RAFFIA .. 'opens' -- keys with blocked jobs, by the time when one may start
local loaded = {}
local LEAD = 0.25 -- seconds, see Store::RateLimiter

local function positive(value) return type(value) == 'number' and value > 0 end

-- Returns the field `rate` if it is valid: other programs write payloads, too.
local function rate_of(own)
  local rate = part(own, 'rate')
  if not rate or not positive(rate.allow) or not positive(rate.per) then return nil end
  return rate
end

local function slot_name(time) return string.format('%.6f', time) end

-- Counts the starts that have left the window out. Those in the future, after the clock was set
-- back, count as now.
local function forget_starts(rate)
  local starts = rate.hash .. ':starts'
  local latest = slot_name(rate.now + rate.grain + rate.lead)
  for _, slot in ipairs(redis.call('ZRANGE', starts, '(' .. latest, '+inf', 'BYSCORE')) do
    local count = tonumber(redis.call('HGET', rate.hash, 's' .. slot)) or 0
    redis.call('ZREM', starts, slot)
    redis.call('HDEL', rate.hash, 's' .. slot)
    redis.call('ZADD', starts, slot_name(rate.now), slot_name(rate.now))
    redis.call('HINCRBY', rate.hash, 's' .. slot_name(rate.now), count)
  end
  local cutoff = slot_name(rate.now - rate.per)
  for _, slot in ipairs(redis.call('ZRANGE', starts, '-inf', cutoff, 'BYSCORE')) do
    rate.used = rate.used - (tonumber(redis.call('HGET', rate.hash, 's' .. slot)) or 0)
    redis.call('HDEL', rate.hash, 's' .. slot)
    redis.call('ZREM', starts, slot)
  end
  rate.used = math.max(rate.used, 0)
  rate.oldest = tonumber(redis.call('ZRANGE', starts, 0, 0)[1])
  rate.time, rate.gone = rate.now, 0
end

-- The first starts that the window has, of a lead's time and one more. Read when they are needed.
local function first_starts(rate)
  if not rate.starts then
    rate.starts, rate.first = redis.call('ZRANGE', rate.hash .. ':starts', 0, 500), 1
  end
  return rate.starts
end

-- `spec`: a job's field, nil for that of the last job. Nil for a key without a job so far.
local function load_rate(key, spec)
  local rate = loaded[key]
  if rate then return rate end
  local hash = RAFFIA .. 'rate:' .. key
  local used, full_at, closed, rule = unpack(redis.call('HMGET', hash, 'used', 'full_at',
    'closed_until', 'rule'))
  if not spec and rule then spec = cjson.decode(rule) end
  rate = {hash = hash, key = key, now = now(), closed_until = tonumber(closed) or 0, taken = {}}
  if not spec then return nil, rate end
  local changed = redis.call('HGET', RAFFIA .. 'rate_limits', spec.name or '')
  local limits = changed and cjson.decode(changed) or spec
  rate.spec, rate.allow, rate.per = spec, limits.allow, limits.per
  rate.bucket = limits.style == 'bucket'
  rate.burst = limits.burst or limits.allow
  rate.most = rate.bucket and math.max(rate.burst, 1) or rate.allow
  rate.grain = math.min(rate.per / 1000, 1)
  rate.lead = math.min(rate.per / 4, LEAD)
  rate.interval = rate.per / rate.allow
  rate.used = tonumber(used) or 0
  rate.full_at = math.min(math.max(tonumber(full_at) or 0, rate.now),
    rate.now + rate.most * rate.interval + rate.lead)
  if not rate.bucket then forget_starts(rate) end
  loaded[key] = rate
  return rate
end

-- When the window's first start that is still there leaves it, and how many starts do so then.
local function next_leaving(rate)
  local slot = first_starts(rate)[rate.first]
  if not slot then return nil end
  return tonumber(slot) + rate.per, tonumber(redis.call('HGET', rate.hash, 's' .. slot)) or 0
end

-- How many starts there may be until so many seconds from now.
local function tokens_of(rate, lead)
  if rate.closed_until > rate.now then return 0 end
  if rate.bucket then
    local time = rate.now + lead + rate.most * rate.interval - rate.full_at
    return math.max(math.floor(time / rate.interval + 0.001), 0)
  end
  local room, first = rate.allow - rate.used + rate.gone, rate.first
  while lead > 0 do
    local leaves, count = next_leaving(rate)
    if not leaves or leaves > rate.now + lead then break end
    room, rate.first = room + count, rate.first + 1
  end
  rate.first = first or 1
  return math.max(room, 0)
end

local function cost_of(rate, spec)
  return math.max(math.min(tonumber(spec.cost) or 1, rate.most), 1)
end

local function spend(rate, cost)
  if rate.bucket then
    rate.full_at = math.max(rate.full_at + cost * rate.interval, rate.now)
  else
    rate.used = math.max(rate.used + cost, 0)
  end
end

-- The time of the next start of this cost, nil if it is later than the lead.
local function next_start(rate, cost, lead)
  if rate.closed_until > rate.now then return nil end
  if rate.bucket then
    local time = rate.full_at + (cost - rate.most) * rate.interval
    if time > rate.now + lead + 0.001 * rate.interval then return nil end
    return math.max(time, rate.now)
  end
  while rate.allow - rate.used + rate.gone < cost do
    if lead == 0 then return nil end
    local leaves, count = next_leaving(rate)
    if not leaves or leaves > rate.now + lead then return nil end
    rate.first, rate.gone, rate.time = rate.first + 1, rate.gone + count, leaves
  end
  return rate.time
end

-- When a job of this cost may start.
local function opening(rate, cost)
  local time = rate.now
  if rate.bucket then
    time = rate.full_at + (cost - rate.most) * rate.interval
  elseif rate.allow - rate.used + rate.gone < cost then
    local oldest = rate.oldest
    if rate.starts then oldest = tonumber(rate.starts[rate.first]) end
    time = (oldest or rate.time) + rate.per
  end
  return math.max(time, rate.closed_until, rate.now)
end

-- The same after so many starts.
local function opening_after(rate, spent, cost, lead)
  local used, full_at, time, gone, first = rate.used, rate.full_at, rate.time, rate.gone, rate.first
  for _ = 1, spent do
    if next_start(rate, 1, lead) then spend(rate, 1) end
  end
  local found = math.max(opening(rate, cost), rate.now + rate.grain)
  rate.used, rate.full_at, rate.time, rate.gone, rate.first = used, full_at, time, gone, first or 1
  return found
end

-- Takes a job's cost. Returns the time when it may start, nil if it may not.
local function grant(rate, spec, lead)
  local cost = cost_of(rate, spec)
  local time = next_start(rate, cost, lead)
  if not time then return nil end
  spend(rate, cost)
  if not rate.bucket then rate.taken[time] = (rate.taken[time] or 0) + cost end
  return time
end

-- A claimed job did not begin.
local function refund(own)
  local spec = rate_of(own)
  local rate = spec and load_rate(spec.key, spec)
  if not rate then return end
  local cost = cost_of(rate, spec)
  spend(rate, -cost)
  local newest = redis.call('ZRANGE', rate.hash .. ':starts', -1, -1)[1]
  if newest and not rate.bucket then redis.call('HINCRBY', rate.hash, 's' .. newest, -cost) end
end

-- Blocks a job: its list is beside those of limits.
local function block_by_rate(rate, spec, queue, payload, jid)
  local name = 'rate:' .. rate.key
  redis.call('RPUSH', RAFFIA .. 'blocked:' .. name, queue .. ' ' .. payload)
  redis.call('SADD', RAFFIA .. 'blocked', name)
  note_unique({unique = spec.unique}, jid, RAFFIA .. 'blocked:' .. name, payload)
  if not redis.call('ZSCORE', OPENS, rate.key) then
    local time = opening(rate, cost_of(rate, spec))
    redis.call('ZADD', OPENS, string.format('%.6f', time), rate.key)
  end
end

-- Returns the first jobs that the tokens allow, and the cost of the next one, nil for none.
local function take_fitting(rate, list, tokens)
  local found, left = {}, tokens
  for _, entry in ipairs(redis.call('LRANGE', list, 0, tokens)) do
    local queue, payload = string.match(entry, '^(%S+) (.*)$')
    local own, item = extras(payload)
    local cost = cost_of(rate, own and own.rate or {})
    left = left - cost
    if left < 0 then
      if #found > 0 then redis.call('LPOP', list, #found) end
      return found, cost
    end
    found[#found + 1] = {queue = queue, payload = payload, own = own, jid = item and item.jid}
  end
  if #found > 0 then redis.call('LPOP', list, #found) end
  return found, nil
end

-- Moves at most so many jobs of a key. Returns their number.
local function open_key(key, most, ahead)
  local name = 'rate:' .. key
  local list = RAFFIA .. 'blocked:' .. name
  local rate = load_rate(key)
  if not rate then return 0, redis.call('ZREM', OPENS, key) end
  local lead = ahead and rate.lead or 0
  local tokens = math.min(tokens_of(rate, lead), most)
  local jobs, next_cost = take_fitting(rate, list, tokens)
  for i = #jobs, 1, -1 do
    note_unique(jobs[i].own, jobs[i].jid, 'queue', jobs[i].payload)
    enqueue(jobs[i].queue, jobs[i].payload, jobs[i].own, true)
  end
  if next_cost then
    local time = opening_after(rate, tokens, next_cost, lead)
    redis.call('ZADD', OPENS, string.format('%.6f', time), key)
  else
    redis.call('ZREM', OPENS, key)
    redis.call('SREM', RAFFIA .. 'blocked', name)
  end
  return #jobs
end

-- Moves blocked jobs whose rate is open to the front of their queues, in their old order. Their
-- claims spend. `ahead`: also those whose rate opens soon. Returns their number.
local function open_rates(most, ahead)
  local time, moved = now() + (ahead and LEAD or 0), 0
  for _, key in ipairs(redis.call('ZRANGE', OPENS, '-inf', slot_name(time), 'BYSCORE', 'LIMIT', 0,
      100)) do
    moved = moved + open_key(key, most, ahead)
  end
  return moved
end

local function save_rates()
  for key, rate in pairs(loaded) do
    local rule = cjson.encode({name = rate.spec.name, allow = rate.spec.allow, per = rate.spec.per,
      style = rate.spec.style, burst = rate.spec.burst})
    redis.call('HSET', rate.hash, 'used', rate.used, 'full_at', string.format('%.6f', rate.full_at),
      'rule', rule)
    for time, cost in pairs(rate.taken) do
      if time <= rate.now then time = math.ceil(rate.now / rate.grain) * rate.grain end
      local slot = slot_name(time)
      redis.call('ZADD', rate.hash .. ':starts', slot, slot)
      redis.call('HINCRBY', rate.hash, 's' .. slot, cost)
    end
    local idle = math.max(rate.now + rate.per, rate.full_at, rate.closed_until)
    redis.call('ZADD', RAFFIA .. 'rates', string.format('%.6f', idle), key)
  end
end
