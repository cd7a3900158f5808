# frozen_string_literal: true

require_relative "rails_new_case"

module Raffia
  # `--watch` with a Rails application in development: Rails reloads `app`, the server the rest.
  class ServerRailsWatchTest < ServerRailsNewCase
    INITIALIZER = <<~RUBY
      MOTTO = "%s"
      Rails.application.routes.append { get "motto", to: "mottos#show" }
    RUBY
    CONTROLLER = <<~RUBY
      class MottosController < ActionController::API
        def show = render(plain: "\#{MOTTO} %s")
      end
    RUBY
    RELOADED = "files have changed: the application is loaded again"

    def test_rails_reloads_its_part_and_the_server_the_rest
      write("config/initializers/motto.rb", INITIALIZER, "one")
      write("app/controllers/mottos_controller.rb", CONTROLLER, "A")
      running("#{ROOT}/exe/raffia", "serve", "-o", "127.0.0.1", "--processes", "1", "--watch",
        env: {"RAILS_ENV" => "development"}) do |port, daemon|
        assert_equal "one A", get(port, "/motto"), daemon.log
        # Its tmp and log folders may be new.
        before = daemon.log.scan(RELOADED).size
        write("app/controllers/mottos_controller.rb", CONTROLLER, "B")
        wait_until(60) { get(port, "/motto") == "one B" }
        assert_equal before, daemon.log.scan(RELOADED).size
        write("config/initializers/motto.rb", INITIALIZER, "two")
        wait_until(60) { get(port, "/motto") == "two B" }
        assert_operator daemon.log.scan(RELOADED).size, :>, before
      end
    ensure
      @written&.each { |path| FileUtils.rm_f(path) }
    end

    private

    def write(name, text, value)
      path = File.join(@dir, name)
      (@written ||= []) << path
      File.write("#{path}.new", format(text, value))
      File.rename("#{path}.new", path)
    end
  end
end
