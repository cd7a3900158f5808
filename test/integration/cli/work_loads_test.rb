# frozen_string_literal: true

require_relative "cli_case"

module Raffia
  # Files that `raffia work` loads with a program of plain Ruby.
  class CLIWorkLoadsTest < CLICase
    # Gem of each store's driver, by its address.
    DRIVERS = {"sqlite:jobs.db" => "sqlite3", "redis://127.0.0.1:1/0" => "redis-client",
               "postgres://127.0.0.1:1/none" => "pg", "mysql://127.0.0.1:1/none" => "trilogy"}.freeze
    # Files of the stores, by the same.
    STORES = {"sqlite:jobs.db" => %w[sql sqlite], "redis://127.0.0.1:1/0" => %w[redis],
              "postgres://127.0.0.1:1/none" => %w[postgres sql],
              "mysql://127.0.0.1:1/none" => %w[mysql sql]}.freeze
    RAILS = /\A(?:rails|railties|active\w+|action\w+)\z/
    # Components that jobs need no part of.
    OTHERS = %w[actor charts compat integrations lab server simulation].freeze

    DRIVERS.each do |url, driver|
      define_method("test_#{driver}_is_the_only_driver") do
        need(driver)
        files = loaded(url)
        assert_equal [driver], gems(files) & DRIVERS.values
        assert_equal STORES.fetch(url), parts(files, %r{/raffia/jobs/stores/(\w+)})
        refute_others(files)
      end
    end

    private

    # One process needs no supervisor, and nothing chooses a strategy here.
    def refute_others(files)
      assert_empty gems(files).grep(RAILS)
      assert_empty parts(files, %r{/lib/raffia/(\w+)}) & OTHERS
      ends = %w[/raffia/process/supervisor.rb /raffia/pool/auto.rb]
      assert_empty(files.select { |file| file.end_with?(*ends) })
    end

    # Files of a worker whose program tells it to stop.
    def loaded(url)
      script(<<~'RUBY', "jobs.rb")
        require "raffia/jobs"

        END { File.write("loaded", $LOADED_FEATURES.join("\n")) }

        Raffia::Jobs.store.then { |store| store.close }
        Process.kill(:TERM, Process.pid)
      RUBY
      ended = raffia("work", "-r", "./jobs.rb", "--store", url, "--processes", "0")
      path = File.join(@dir, "loaded")
      assert_path_exists path, ended.inspect
      File.readlines(path, chomp: true)
    end

    def need(driver)
      return if Gem::Specification.find_all_by_name(driver).any?

      skip "the gem #{driver} is not installed (bin/setup)"
    end

    def gems(files) = parts(files, %r{/gems/([\w-]+?)-\d[^/]*/})

    def parts(files, pattern) = files.filter_map { |file| file[pattern, 1] }.uniq.sort
  end
end
