# frozen_string_literal: true

require_relative "server_case"
require "support/servers"

# An application as `rails new` makes it, of those parts of Rails that are installed, with a model
# and a controller. It is made once.
class ServerRailsNewCase < ServerCase
  # Parts that need gems in no group of ours, or take long.
  SKIPPED = %w[bundle git action-mailer action-mailbox action-text active-storage asset-pipeline
    javascript hotwire jbuilder test system-test
    bootsnap solid kamal thruster brakeman rubocop ci docker dev-gems].freeze
  GEMS = %w[railties activerecord actionpack activejob actioncable sqlite3 pg].freeze
  FILES = {
    "Gemfile" => "source \"https://rubygems.org\"\n" \
      "#{GEMS.map { |name| "gem \"#{name}\"\n" }.join}gem \"raffia\", path: \"#{ROOT}\"\n",
    "app/models/counter.rb" => "class Counter < ApplicationRecord\nend\n",
    "app/controllers/counters_controller.rb" => <<~RUBY,
      class CountersController < ActionController::API
        NOW = []

        # A read-modify-write, instead of UPDATE ... SET value = value + 1.
        def create
          counter = Counter.first
          counter.with_lock { counter.update!(value: counter.value + 1) }
          render plain: params[:token]
        end

        def show = render(plain: Counter.first.value.to_s)

        # How many are here at once, each on a connection.
        def crowd
          NOW << true
          Counter.transaction { sleep(0.02) && Counter.first }
          render plain: NOW.size.to_s
        ensure
          NOW.pop
        end

        def place = render(plain: Fiber.current_scheduler ? "fibers" : "threads")
      end
    RUBY
    "config/routes.rb" => <<~RUBY
      Rails.application.routes.draw do
        resource :counter, only: %i[create show] do
          get :place
          get :crowd
        end
      end
    RUBY
  }.freeze
  PREPARE = "ActiveRecord::Schema.verbose = false; ActiveRecord::Schema.define { " \
    "create_table(:counters, force: true) { |table| table.integer(:value, default: 0) } }; " \
    "Counter.create!"
  REQUESTS = 400
  CLIENTS = 16
  private_constant :PREPARE

  # The folder.
  def self.application = @application ||= generate

  # The databases that have the table already.
  def self.prepared = @prepared ||= []

  def self.generate
    dir = Dir.mktmpdir("raffia-rails-")
    Minitest.after_run { FileUtils.rm_rf(dir) }
    made = system({"RUBYOPT" => nil}, RbConfig.ruby, "-W0", "-e",
      'load Gem.bin_path("railties", "rails")', "--", "new", "shop",
      *SKIPPED.map { |part| "--skip-#{part}" },
      chdir: dir, out: File.join(dir, "log"), err: %i[child out])
    raise "rails new failed:\n#{File.read(File.join(dir, "log"))}" unless made

    FILES.each { |path, text| File.write(File.join(dir, "shop", path), text) }
    File.join(dir, "shop")
  end

  def setup
    need_gem(*GEMS)
    @dir = ServerRailsNewCase.application
  end

  private

  def environment
    {"RAILS_ENV" => "production", "SECRET_KEY_BASE" => "0" * 64,
     "BUNDLE_GEMFILE" => File.join(@dir, "Gemfile"), "RUBYOPT" => "-W0",
     "RUBYLIB" => "#{ROOT}/lib",
     "RAFFIA_LOG" => nil, "RAILS_LOG_LEVEL" => "warn", "DATABASE_URL" => @database}
  end

  # A table with one row.
  def prepare(database)
    @database = database
    return if ServerRailsNewCase.prepared.include?(database)

    output, status = Open3.capture2e(environment, RbConfig.ruby, "-e",
      "require './config/environment'; #{PREPARE}", chdir: @dir)
    assert_predicate status, :success?, output
    ServerRailsNewCase.prepared << database
  end

  # @return [Array(String, Integer)] output and exit status of `raffia serve` with these arguments,
  #   which ends by itself
  def raffia(*argv, env: {})
    output, status = Open3.capture2e(environment.merge(env), RbConfig.ruby, "#{ROOT}/exe/raffia",
      *argv, chdir: @dir)
    [output, status.exitstatus]
  end

  # @yieldparam port [Integer]
  # @yieldparam log [#call]
  def running(*command, env: {})
    port = TestSupport::Daemon.free_port
    TestSupport::Daemon.run(RbConfig.ruby, "-C", @dir, *command, "-p", port.to_s, port: port,
      env: environment.merge(env)) { |daemon| yield port, daemon }
  end

  # No answer is given without its write, and no write is lost.
  def assert_exact(port)
    before = get(port, "/counter").to_i
    answers = increments(port)
    assert_equal({"200" => REQUESTS}, answers.tally)
    assert_equal before + REQUESTS, get(port, "/counter").to_i
  end

  # @return [Array<String>] codes; "wrong" for another's answer
  def increments(port)
    tokens = Thread::Queue.new
    REQUESTS.times { |number| tokens << "token-#{number}" }
    tokens.close
    Array.new(CLIENTS) { Thread.new { client(port, tokens) } }.flat_map(&:value)
  end

  def client(port, tokens)
    codes = []
    Net::HTTP.start("127.0.0.1", port, read_timeout: 60) do |http|
      while (token = tokens.pop)
        answer = http.post("/counter", "token=#{token}")
        codes << ((answer.code == "200" && answer.body != token) ? "wrong" : answer.code)
      end
    end
    codes
  end

  def get(port, path) = Net::HTTP.get(URI("http://127.0.0.1:#{port}#{path}"))
end
