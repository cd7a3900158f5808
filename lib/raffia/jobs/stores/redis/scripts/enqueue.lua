-- Adds jobs.
-- ARGV: precondition's key or '', 1 if it expects a value, that value, 1 if it sets one, that
-- value; then for each draft: jid, queue, payload, time or ''.
-- Returns 1 or 0 for each draft; nil when the precondition fails; 'unique KEY' or 'batch ID' for an
-- error.
local condition = ARGV[1]
if condition ~= '' then
  local value = redis.call('GET', RAFFIA .. 'value:' .. condition)
  if ARGV[2] == '1' and value ~= ARGV[3] or ARGV[2] == '0' and value then return false end
end

local drafts, taken = {}, {}
for i = 6, #ARGV, 4 do
  local draft = {jid = ARGV[i], queue = ARGV[i + 1], payload = ARGV[i + 2], at = ARGV[i + 3]}
  draft.own = extras(draft.payload)
  drafts[#drafts + 1] = draft
  local batch, unique = batch_key(draft.own), part(draft.own, 'unique')
  if batch and redis.call('EXISTS', batch) == 0 then return 'batch ' .. draft.own.batch end
  if unique then
    draft.unique = RAFFIA .. 'unique:' .. unique.key
    local there = taken[unique.key] or redis.call('EXISTS', draft.unique) == 1
    if there and unique.conflict == 'raise' then return 'unique ' .. unique.key end
    taken[unique.key] = true
  end
end

if condition ~= '' then set_value(condition, ARGV[4] == '1' and ARGV[5] or nil) end

local function remove_from_queue(queue, payload)
  if remove('queue:' .. queue, payload) then return true end
  local key = RAFFIA .. 'queue:' .. queue
  for _, member in ipairs(redis.call('ZRANGE', key, 0, -1)) do
    if payload_of(member) == payload then return remove(key, member) end
  end
  return false
end

-- Removes the waiting job with this key. Returns whether the new one may take its place.
local function replace(draft)
  local fields = redis.call('HMGET', draft.unique, 'jid', 'set', 'queue', 'payload')
  local jid, set, queue, payload = unpack(fields)
  if not set then return false end
  local gone
  if set == 'queue' then
    gone = remove_from_queue(queue, payload)
  else
    gone = remove(set, string.find(set, '^raffia:blocked:') and queue .. ' ' .. payload or payload)
  end
  if not gone then return false end
  local own = extras(payload)
  settle(own, {jid = jid}, false)
  release_limit(own, '')
  return true
end

local function lock(draft)
  local unique = part(draft.own, 'unique')
  local replaces = unique.conflict == 'replace'
  local taken = redis.call('EXISTS', draft.unique) == 1
  if taken and not (replaces and replace(draft)) then return false end
  local set = draft.at == '' and 'queue' or 'schedule'
  redis.call('DEL', draft.unique)
  redis.call('HSET', draft.unique, 'jid', draft.jid, 'set', set, 'queue', draft.queue,
    'payload', draft.payload)
  local seconds = tonumber(unique['for'])
  if seconds then redis.call('PEXPIRE', draft.unique, math.ceil(seconds * 1000)) end
  return true
end

local kept = {}
for i, draft in ipairs(drafts) do
  if draft.unique and not lock(draft) then
    kept[i] = 0
  else
    if draft.at == '' then
      enqueue(draft.queue, draft.payload, draft.own, false)
    else
      redis.call('ZADD', 'schedule', draft.at, draft.payload)
    end
    count_in(draft.own)
    kept[i] = 1
  end
end
return kept
