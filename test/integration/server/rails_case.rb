# frozen_string_literal: true

require_relative "server_case"
require "json"
require "support/servers"

# A Rails application, whole but small, as `rails server -u raffia` runs it.
class ServerRailsCase < ServerCase
  APPLICATION = <<~'RUBY'
    $stdout.sync = true
    require "rails"
    require "active_record/railtie" if ENV["DATABASE_URL"]
    require "action_controller/railtie"
    require "action_cable/engine"

    class Application < Rails::Application
      config.load_defaults 8.0
      config.eager_load = true
      config.secret_key_base = "0" * 64
      config.hosts.clear
      config.logger = Logger.new($stdout)
      config.log_level = :warn
      config.active_support.isolation_level = :fiber
      config.action_cable.cable = {"adapter" => "async"}
      config.action_cable.mount_path = "/cable"
      config.action_cable.disable_request_forgery_protection = true
      routes.append do
        get "/hello", to: "pages#hello"
        get "/stream", to: "pages#stream"
        post "/say", to: "pages#say"
        post "/people", to: "people#create"
        get "/people", to: "people#index"
        get "/wait", to: "people#wait"
        get "/boom", to: "pages#boom"
      end
    end

    class PagesController < ActionController::API
      include ActionController::Live
      def hello = render(plain: "hello from Rails #{Rails.version}")
      def boom = raise("boom")
      def say = ActionCable.server.broadcast("room", {text: params[:text]}) && head(:no_content)

      def stream
        response.headers["content-type"] = "text/plain"
        5.times { |n| response.stream.write("#{n}\n") }
      ensure
        response.stream.close
      end
    end

    module ApplicationCable
      class Connection < ActionCable::Connection::Base; end
      class Channel < ActionCable::Channel::Base; end
    end

    class RoomChannel < ApplicationCable::Channel
      def subscribed = stream_from("room")
      def speak(data) = ActionCable.server.broadcast("room", {text: data["text"].upcase})
    end

    if ENV["DATABASE_URL"]
      class Person < ActiveRecord::Base; end

      class PeopleController < ActionController::API
        def create = render(json: Person.create!(name: params[:name]))
        def index = render(json: Person.order(:id).pluck(:name))
        # On the same connection throughout, though other requests run meanwhile.
        def wait
          ids = Person.transaction do
            Array.new(2) do
              Person.connection.execute(ENV.fetch("WAIT"))
              Person.connection.select_value(ENV.fetch("WHO"))
            end
          end
          render(json: ids)
        end
      end
    end

    Application.initialize!

    if ENV["DATABASE_URL"]
      ActiveRecord::Schema.verbose = false
      ActiveRecord::Schema.define do
        create_table(:people, force: true) { |table| table.string(:name) }
      end
    end
  RUBY
  FILES = {
    "config.ru" => "require_relative \"application\"\nrun Rails.application\n",
    "application.rb" => APPLICATION,
    "rails.rb" => <<~RUBY
      require "rails"
      APP_PATH = File.expand_path("application", __dir__)
      require "rails/commands"
    RUBY
  }.freeze

  def setup
    need_gem "railties", "actioncable"
    need_gem "rackup"
  end

  private

  # @yieldparam port [Integer] of `rails server -u raffia`
  def rails(env = {}, &)
    port = TestSupport::Daemon.free_port
    settings = {"RAILS_ENV" => "production", "RUBYOPT" => "-W0", "RAFFIA_LOG" => nil,
                "RUBYLIB" => "#{ROOT}/lib", **env}
    TestSupport::Daemon.run(RbConfig.ruby, "rails.rb", "server", "-u", "raffia", "-p", port.to_s,
      "-b", "127.0.0.1", port: port, files: files, env: settings) do |daemon|
      yield port, daemon
    end
  end

  def files = FILES

  def http(port, &) = Net::HTTP.start("127.0.0.1", port, read_timeout: 60, &)
end
