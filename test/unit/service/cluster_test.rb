# frozen_string_literal: true

require "test_helper"
require "raffia/service/cluster"

class ServiceClusterTest < Raffia::TestCase
  # A role that writes what happens to it into a pipe.
  class Role < Raffia::Service::Role
    attr_reader :processes

    def initialize(name, processes, pipe, stop)
      super()
      @name = name
      @processes = processes
      @pipe = pipe
      @stop = stop
    end

    def drain_timeout = @processes * 10

    def load = "loaded #{@name}"

    def supervised_by(supervisor) = @supervisor = supervisor

    def receive(name, data) = @stop.call(@supervisor, name, data)

    def work(context, loaded)
      context.ready!
      context.send("#{@name} #{context.index} #{loaded}")
      context.wait_for_stop
    end
  end

  def test_slots_are_those_of_the_roles_in_their_order
    need_fork
    heard = []
    stop = lambda do |supervisor, name, _|
      heard |= [name]
      supervisor.stop if heard.size == 3
    end
    roles = [Role.new("web", 1, nil, stop), Role.new("jobs", 2, nil, stop)]
    cluster = Raffia::Service::Cluster.new(roles, name: "test")
    assert_equal({state: :booting, workers: 0, ready: 0, slots: []}, cluster.status)
    assert_equal 0, cluster.run
    assert_equal ["jobs 1 loaded jobs", "jobs 2 loaded jobs", "web 0 loaded web"], heard.sort
    assert_equal 20, cluster.instance_variable_get(:@supervisor).settings.drain_timeout
  end
end
