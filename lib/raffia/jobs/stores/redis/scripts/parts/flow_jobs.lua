-- Beginnings and ends of jobs of durable functions.
local flow_module

local function flows()
  if flow_module then return flow_module end
  -- Here: flow_keys flows
  flow_module = {start = start_flow, finish = end_flow, revive = revive_flow}
  return flow_module
end

function starts.flow(own, item) flows().start(own, item) end

function ends.flow(own, item, failed) flows().finish(own, item, failed) end

-- A dead job is tried again.
local function revive_flow(own, item)
  if own and own.flow then flows().revive(own, item) end
end
