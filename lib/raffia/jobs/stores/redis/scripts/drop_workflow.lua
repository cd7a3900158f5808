-- Removes jobs of a workflow from a part of a key.
-- ARGV: key, place of the first job, number of jobs, text that only payloads of the workflow have.
-- Returns the number of jobs removed, and of those that are left in that part.
-- Parts: ends
local key, from, count, text = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local GONE = 'raffia: a removed job'
local list = redis.call('TYPE', key).ok == 'list'
local blocked = string.match(key, '^raffia:blocked:(.*)$')
local members = redis.call(list and 'LRANGE' or 'ZRANGE', key, from, from + count - 1)
local found = {}

for i, member in ipairs(members) do
  local payload = string.find(key, '^raffia:queue:') and payload_of(member)
    or blocked and string.match(member, '^%S+ (.*)$') or member
  local own, item
  if string.find(payload, text, 1, true) then own, item = extras(payload) end
  if own and cancelled_step(own) then
    found[#found + 1] = {own = own, item = item}
    if list then
      -- A command that removes comes first: a full Redis finishes the script then.
      if #found == 1 then redis.call('LREM', key, 0, GONE) end
      redis.call('LSET', key, from + i - 1, GONE)
    else
      redis.call('ZREM', key, member)
    end
  end
end
if list and #found > 0 then redis.call('LREM', key, 0, GONE) end
if blocked and redis.call('EXISTS', key) == 0 then
  redis.call('SREM', RAFFIA .. 'blocked', blocked)
end
local sidekiqs = string.find(key, '^queue:') -- the oldest one is its last
for i = 1, #found do
  local job = found[sidekiqs and #found + 1 - i or i]
  settle(job.own, job.item, true)
  release_limit(job.own, '')
end
save_workflows()
return {#found, #members - #found}
