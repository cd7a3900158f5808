-- Records a step.
-- ARGV: see held_flow.lua; place, 1 if it sets the state, what it is, value, payload without deaths
-- of workers or '', then drafts.
-- Returns the cancel of the flow as 1 or 0, and what the worker has read; or a text, see
-- enqueue.lua.
-- Parts: none held_flow
local payload, answer = held()
if not payload then return answer end
local place, drafts, enqueue_drafts = ARGV[5], #ARGV > 9, nil
if drafts and redis.call('HEXISTS', STEPS, place) == 0 then
  -- Here: common flow_jobs workflows drafts
  local list = drafts_of_arguments(10)
  local refused = refusal(list)
  if refused then return refused end
  enqueue_drafts = function() add(list) end
end
-- Its number, no time, what it is, and its value: see flow_steps.lua.
local text = steps .. '\n\n' .. ARGV[7] .. '\n' .. ARGV[8]
if redis.call('HSETNX', STEPS, place, text) == 1 then
  steps = steps + 1
  redis.call('HSET', FLOW .. ID, 'steps', steps)
  if ARGV[6] == '1' then redis.call('HSET', FLOW .. ID, 'state', ARGV[8]) end
  if enqueue_drafts then enqueue_drafts() end
  uncharge(ARGV[9])
end
return {cancelled and 1 or 0, known()}
