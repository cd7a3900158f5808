-- Records a step.
-- ARGV: see held_flow.lua; place, 1 if it sets the state, what it is, value, payload without deaths
-- of workers or '', then drafts.
-- Returns the cancel of the flow as 1 or 0, and what the worker has read; or a text, see
-- enqueue.lua.
-- Parts: held_flow ends
local payload, answer = held()
if not payload then return answer end
local place = ARGV[5]
if redis.call('HEXISTS', STEPS, place) == 0 then
  local enqueue_drafts
  if #ARGV > 9 then
    -- Here: drafts
    local drafts = drafts_of_arguments(10)
    local refused = refusal(drafts)
    if refused then return refused end
    enqueue_drafts = function() add(drafts) end
  end
  write_step(place, {at = '', about = ARGV[7], value = ARGV[8]})
  if ARGV[6] == '1' then redis.call('HSET', FLOW .. ID, 'state', ARGV[8]) end
  if enqueue_drafts then enqueue_drafts() end
  uncharge(ARGV[9])
end
return {cancelled() and 1 or 0, known()}
