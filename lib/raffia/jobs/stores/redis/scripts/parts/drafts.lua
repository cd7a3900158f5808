-- New jobs: drafts are read and checked first, before anything is written, and added then.

-- `at` is a time or ''.
local function draft_of(jid, queue, payload, at)
  local own, item = extras(payload)
  return {jid = jid, queue = queue, payload = payload, at = at, own = own, item = item}
end

-- Reads jid, queue, payload and time of each draft, from this argument on.
local function drafts_of_arguments(first)
  local drafts = {}
  for i = first, #ARGV, 4 do
    drafts[#drafts + 1] = draft_of(ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3])
  end
  return drafts
end

-- Returns 'unique KEY' or 'batch ID' when they may not be added.
local function refusal(drafts)
  local taken = {}
  for _, draft in ipairs(drafts) do
    local batch, unique = batch_key(draft.own), part(draft.own, 'unique')
    if batch and redis.call('EXISTS', batch) == 0 then return 'batch ' .. draft.own.batch end
    if unique then
      draft.unique = RAFFIA .. 'unique:' .. unique.key
      local there = taken[unique.key] or redis.call('EXISTS', draft.unique) == 1
      if there and unique.conflict == 'raise' then return 'unique ' .. unique.key end
      taken[unique.key] = true
    end
  end
end

local function remove_from_queue(queue, payload)
  if remove('queue:' .. queue, payload) then return true end
  local key = RAFFIA .. 'queue:' .. queue
  for _, member in ipairs(redis.call('ZRANGE', key, 0, -1)) do
    if payload_of(member) == payload then return remove(key, member) end
  end
  return false
end

-- Removes the waiting job with this key, unless a workflow waits for it. Returns whether the new
-- one may take its place.
local function replace(draft)
  local fields = redis.call('HMGET', draft.unique, 'jid', 'set', 'queue', 'payload')
  local jid, set, queue, payload = unpack(fields)
  local own = set and extras(payload)
  if not set or own.workflow then return false end
  local gone
  if set == 'queue' then
    gone = remove_from_queue(queue, payload)
  else
    gone = remove(set, string.find(set, '^raffia:blocked:') and queue .. ' ' .. payload or payload)
  end
  if not gone then return false end
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

-- Returns 1 or 0 for each draft: 0 for a unique job whose key is taken.
local function add(drafts)
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
      started(draft.own, draft.item)
      kept[i] = 1
    end
  end
  return kept
end
