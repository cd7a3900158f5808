-- Rates, for scripts that claim, release and open. Store::RateLimiter has the arithmetic in Ruby.
-- A key's state is a hash; the starts of a window are in a sorted set by their time, and their
-- numbers in the hash, under "s" and the time. Keys are loaded once in a script, and saved at its
-- end.
local OPENS = RAFFIA .. 'opens' -- keys with blocked jobs, by the time when one may start
local loaded = {}

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
  for _, slot in ipairs(redis.call('ZRANGE', starts, '(' .. slot_name(rate.now + rate.grain), '+inf',
      'BYSCORE')) do
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
end

-- `spec`: a job's field, nil for that of the last job. Nil for a key without a job so far.
local function load_rate(key, spec)
  local rate = loaded[key]
  if rate then return rate end
  local hash = RAFFIA .. 'rate:' .. key
  local used, full_at, closed, rule = unpack(redis.call('HMGET', hash, 'used', 'full_at',
    'closed_until', 'rule'))
  if not spec and rule then spec = cjson.decode(rule) end
  rate = {hash = hash, key = key, now = now(), closed_until = tonumber(closed) or 0, spent = 0}
  if not spec then return nil, rate end
  local changed = redis.call('HGET', RAFFIA .. 'rate_limits', spec.name or '')
  local limits = changed and cjson.decode(changed) or spec
  rate.spec, rate.allow, rate.per = spec, limits.allow, limits.per
  rate.bucket = limits.style == 'bucket'
  rate.burst = limits.burst or limits.allow
  rate.most = rate.bucket and math.max(rate.burst, 1) or rate.allow
  rate.grain = math.min(rate.per / 1000, 1)
  rate.interval = rate.per / rate.allow
  rate.used = tonumber(used) or 0
  rate.full_at = math.min(math.max(tonumber(full_at) or 0, rate.now),
    rate.now + rate.most * rate.interval)
  if not rate.bucket then forget_starts(rate) end
  loaded[key] = rate
  return rate
end

local function tokens_of(rate)
  if rate.closed_until > rate.now then return 0 end
  if not rate.bucket then return math.max(rate.allow - rate.used, 0) end
  return math.floor((rate.now + rate.most * rate.interval - rate.full_at) / rate.interval + 0.001)
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

-- When a job of this cost may start, after so many starts more.
local function opening(rate, spent, cost)
  local time = rate.now
  if rate.bucket then
    time = rate.full_at + (spent + cost - rate.most) * rate.interval
  elseif rate.allow - rate.used - spent < cost then
    time = (rate.oldest or rate.now) + rate.per
  end
  return math.max(time, rate.closed_until, rate.now + (spent > 0 and rate.grain or 0))
end

-- Takes a job's cost. Returns whether it may start.
local function grant(rate, spec)
  local cost = cost_of(rate, spec)
  if tokens_of(rate) < cost then return false end
  spend(rate, cost)
  rate.spent = rate.spent + cost
  return true
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
    local time = opening(rate, 0, cost_of(rate, spec))
    redis.call('ZADD', OPENS, string.format('%.6f', time), rate.key)
  end
end

local function save_rates()
  for key, rate in pairs(loaded) do
    local rule = cjson.encode({name = rate.spec.name, allow = rate.spec.allow, per = rate.spec.per,
      style = rate.spec.style, burst = rate.spec.burst})
    redis.call('HSET', rate.hash, 'used', rate.used, 'full_at', string.format('%.6f', rate.full_at),
      'rule', rule)
    if rate.spent > 0 and not rate.bucket then
      local slot = slot_name(math.ceil(rate.now / rate.grain) * rate.grain)
      redis.call('ZADD', rate.hash .. ':starts', slot, slot)
      redis.call('HINCRBY', rate.hash, 's' .. slot, rate.spent)
    end
    local idle = math.max(rate.now + rate.per, rate.full_at, rate.closed_until)
    redis.call('ZADD', RAFFIA .. 'rates', string.format('%.6f', idle), key)
  end
end
