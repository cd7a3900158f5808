-- Ends of jobs that are steps of workflows. What a script changes is saved at its end, so that all
-- events of one script cost one write.
local workflow_module

local function workflows()
  if workflow_module then return workflow_module end
  -- Here: drafts workflow_text workflow_table workflow_tables workflow_start
  -- Here: workflow_restart workflow_undos workflow_events
  workflow_module = workflow_events()
  return workflow_module
end

-- The step of a workflow whose job it is; nil if the field is none.
local function step_of(own)
  local step = own and own.workflow
  local valid = type(step) == 'table' and type(step.id) == 'string' and type(step.node) == 'string'
  return valid and step or nil
end

function ends.workflow(own, item, failed, result)
  local step = step_of(own)
  if step then workflows().finish(step.id, step.node, item.jid, failed, result) end
end

-- Counts a dead job that is tried again.
local function revive_step(own, item)
  local step = step_of(own)
  if step then workflows().revive(step.id, step.node, item.jid) end
end

-- Whether a job that waits, or would, has to end, because its workflow was cancelled. Durable
-- functions end by themselves.
local function cancelled_step(own)
  local step = step_of(own)
  if not step or own.flow then return false end
  if workflow_module then return workflow_module.tables.state_of(step.id) == 'cancelling' end
  return redis.call('HGET', RAFFIA .. 'workflow:' .. step.id, 'state') == 'cancelling'
end

-- A script that ends jobs calls this at its end.
local function save_workflows()
  if workflow_module then workflow_module.tables.save(workflow_module.reject) end
end
