# frozen_string_literal: true

require_relative "server_case"
require "open3"

module Raffia
  # Where requests run that know ActiveSupport without Rails: each in a process of its own, since
  # the setting is the process's.
  class ServerIsolationTest < ServerCase
    # Says what was decided, or what is wrong with it.
    PROGRAM = <<~'RUBY'
      require "logger"
      require "raffia/server"
      EARLY
      application = Raffia::Server::Application.new("test") { LOAD; ->(_env) {} }
      application.execution = ASKED
      application.load
      level = ActiveSupport::IsolatedExecutionState.isolation_level if defined?(ActiveSupport)
      options = Raffia::Server::Options.build({execution: ASKED})
      begin
        settled = Raffia::Server::Execution.settle(application, options, Logger.new($stdout))
        puts "#{settled.execution} #{level.inspect}"
      rescue Raffia::ConfigError => error
        puts error.message
      end
    RUBY

    def test_plain_rack_runs_in_fibers
      assert_equal "fibers nil\n", decided("")
      assert_equal "threads nil\n", decided("", asked: :threads)
    end

    def test_active_record_without_rails_is_isolated_before_it_is_used
      need_gem "activerecord"
      assert_equal "fibers :fiber\n", decided('require "active_record"; ActiveRecord::Base.name')
      assert_equal "fibers :fiber\n", decided('require "active_record"')
      assert_equal "fibers :fiber\n",
        decided('require "active_record"; ActiveSupport::IsolatedExecutionState.isolation_level ' \
          "== :fiber or raise")
      assert_equal "threads :thread\n", decided('require "active_record"; ActiveRecord::Base.name',
        asked: :threads)
    end

    def test_the_applications_own_level_wins
      need_gem "activerecord"
      pin = 'require "active_record"; ActiveSupport::IsolatedExecutionState.isolation_level = ' \
        ":thread"
      assert_match(
        /requests run on 5 threads: .*isolation_level was :thread.*\nthreads :thread\n\z/m,
        decided(pin)
      )
      assert_match(/\Aexecution fibers: .*would share connections of Active Record and lose writes/,
        decided(pin, asked: :fibers))
    end

    # It may be in use.
    def test_a_level_set_before_is_left_alone
      need_gem "activerecord"
      assert_match(/threads :thread\n\z/,
        decided("", early: 'require "active_record"; ActiveSupport::IsolatedExecutionState'))
      assert_equal "fibers :thread\n", decided("",
        early: 'require "active_support"; ActiveSupport::IsolatedExecutionState')
    end

    def test_ractors_have_no_threads
      error = assert_raises(ConfigError) { Server.new(HELLO, execution: :threads, ractors: 2) }
      assert_match(/leave out `ractors`, or `execution threads`/, error.message)
    end

    private

    def decided(load, early: "", asked: :auto)
      program = PROGRAM.sub("EARLY", early).sub("LOAD", load).gsub("ASKED", asked.inspect)
      output, status = Open3.capture2e({"RUBYOPT" => nil}, RbConfig.ruby, "-W0", "-I#{ROOT}/lib",
        "-e", program)
      assert_predicate status, :success?, output
      output
    end
  end
end
