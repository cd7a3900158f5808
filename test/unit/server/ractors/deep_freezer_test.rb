# frozen_string_literal: true

require "test_helper"
require "raffia/server"
require "raffia/server/ractors/deep_freezer"

# Freezing of an application before it goes to Ractors.
class ServerSharingTest < Raffia::TestCase
  def setup = need_ractors

  # Such as a router and its routes.
  def test_objects_that_refer_to_each_other
    router, route = {}, {path: +"/"}
    router[:routes] = [route]
    route[:router] = router
    sharing = Raffia::Server::Ractors::DeepFreezer.new
    assert_same router, sharing.share(router, "app")
    assert_empty sharing.findings
    assert Ractor.shareable?(router)
    assert_predicate route[:path], :frozen?
  end
end
