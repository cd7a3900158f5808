-- Adds jobs.
-- ARGV: precondition's key or '', 1 if it expects a value, that value, 1 if it sets one, that
-- value; then drafts.
-- Returns 1 or 0 for each draft; nil when the precondition fails; 'unique KEY' or 'batch ID' for an
-- error.
-- Parts: drafts ends
local condition = ARGV[1]
if condition ~= '' then
  local value = redis.call('GET', RAFFIA .. 'value:' .. condition)
  if ARGV[2] == '1' and value ~= ARGV[3] or ARGV[2] == '0' and value then return false end
end

local drafts = drafts_of_arguments(6)
local refused = refusal(drafts)
if refused then return refused end
if condition ~= '' then set_value(condition, ARGV[4] == '1' and ARGV[5] or nil) end
return add(drafts)
