-- Writes other payloads of jobs that are still where they were, and leaves the jobs there.
-- ARGV, for each job: key, member, payload, new payload. Returns the number of jobs changed.
local count = 0

local function replace(place, member, fresh)
  if string.find(place, '^queue:') or string.find(place, '^raffia:blocked:') then
    local index = redis.call('LPOS', place, member, 'RANK', -1)
    if index then redis.call('LSET', place, index, fresh) end
    return index
  end
  local score = redis.call('ZSCORE', place, member)
  if score then
    redis.call('ZREM', place, member)
    redis.call('ZADD', place, score, fresh)
  end
  return score
end

-- A job that replaces a unique one finds it by its payload.
local function update_unique(payload, fresh)
  local own, item = extras(fresh)
  local unique = part(own, 'unique')
  local key = unique and RAFFIA .. 'unique:' .. unique.key
  if key and redis.call('HGET', key, 'jid') == item.jid
    and redis.call('HGET', key, 'payload') == payload then
    redis.call('HSET', key, 'payload', fresh)
  end
end

for i = 1, #ARGV, 4 do
  local place, member, payload, fresh = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local prefix = string.sub(member, 1, #member - #payload)
  if replace(place, member, prefix .. fresh) then
    count = count + 1
    update_unique(payload, fresh)
  end
end
return count
