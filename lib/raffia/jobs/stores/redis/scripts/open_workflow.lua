-- Adds a workflow and its first jobs.
-- ARGV: id, about, parent and its node or '', a random text, version of Sidekiq, number of steps,
-- then for each step its name, kind, number of predecessors and plan; then drafts of further jobs.
-- A sub-workflow that has ended is removed before, if its step was begun anew.
-- Returns 0 if there is one with this id, 'parent' if the parent is not running; 'unique KEY' or
-- 'batch ID' for an error of a draft.
-- Parts: drafts ends
local id, about, parent, parent_node, seed, version, steps = unpack(ARGV, 1, 7)
local key = RAFFIA .. 'workflow:' .. id

-- Whether a sub-workflow belongs to an earlier run of its step, and has ended.
local function replaceable()
  local before, state = unpack(redis.call('HMGET', key, 'about', 'state'))
  return parent ~= '' and state ~= 'running' and state ~= 'cancelling' and state ~= 'undoing'
    and cjson.decode(before).opener ~= cjson.decode(about).opener
end

local there = redis.call('EXISTS', key) == 1
if there and not replaceable() then return 0 end
if parent ~= '' and redis.call('HGET', RAFFIA .. 'workflow:' .. parent, 'state') ~= 'running' then
  return 'parent'
end

local after_steps = 8 + 4 * steps
local drafts = drafts_of_arguments(after_steps)
local refused = refusal(drafts)
if refused then return refused end

if there then workflows().tables.remove(id) end
local record = {state = 'running', pending = tonumber(steps), dead = 0, ended = 0, jids = 0,
  created_at = string.format('%.6f', now()), about = about, seed = seed, version = version}
if parent ~= '' then record.parent, record.parent_node = parent, parent_node end
local t = workflows().tables.build(id, record)
redis.call('ZADD', RAFFIA .. 'workflows', redis.call('INCR', RAFFIA .. 'place'), id)
for i = 8, after_steps - 1, 4 do
  redis.call('HSET', t:key('_plans'), ARGV[i], ARGV[i + 3])
  t:add({name = ARGV[i], kind = ARGV[i + 1], state = 'waiting', missing = tonumber(ARGV[i + 2]),
    bad = 0, position = (i - 8) / 4})
end
add(drafts)
workflows().open(t)
save_workflows()
return 1
