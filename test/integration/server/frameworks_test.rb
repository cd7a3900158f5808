# frozen_string_literal: true

require_relative "server_case"

module Raffia
  # Frameworks on Rack, each between two Rack::Lints in the server's own process: what the server
  # says to the app and what it takes from it.
  class ServerFrameworksTest < ServerCase
    SINATRA = <<~'RUBY'
      require "rack/lint"
      require "sinatra/base"
      class Site < Sinatra::Base
        set :host_authorization, {permitted_hosts: []}
        get("/hello/:name") { "hello #{params[:name]}" }
        post("/form") { params.map { |name, value| "#{name}=#{value}" }.join(",") }
        get("/stream") { stream { |out| 3.times { |n| out << "#{n}\n" } } }
        get("/file") { send_file "config.ru" }
        get("/boom") { raise "boom" }
        get("/cookie") { response.set_cookie("a", "1"); response.set_cookie("b", "2"); "" }
        post("/upload") { params[:file][:tempfile].size.to_s }
      end
      use Rack::Lint
      run Site
    RUBY
    ROUTES = <<~'RUBY'
          require "rack/lint"
          require "roda"
          class Site < Roda
            plugin :streaming
            plugin :all_verbs
      plugin :head
            plugin :cookies
            plugin :sinatra_helpers
            route do |r|
              r.get("hello", String) { |name| "hello #{name}" }
              r.post("form") { r.params.map { |name, value| "#{name}=#{value}" }.join(",") }
              r.get("stream") { stream { |out| 3.times { |n| out << "#{n}\n" } } }
              r.get("file") { send_file "config.ru" }
              r.get("boom") { raise "boom" }
              r.get("cookie") { response.set_cookie("a", "1"); response.set_cookie("b", "2"); "" }
              r.post("upload") { r.params["file"][:tempfile].size.to_s }
            end
          end
          use Rack::Lint
          run Site.freeze.app
    RUBY

    {sinatra: SINATRA, roda: ROUTES}.each do |name, config|
      define_method(:"test_#{name}") do
        need_gem name.to_s, "rack"
        program(config) { |port, daemon| visit(port, config, daemon) }
      end
    end

    def test_the_same_with_worker_processes
      need_gem "sinatra", "rack"
      program(SINATRA, processes: 2) { |port, daemon| visit(port, SINATRA, daemon) }
    end

    private

    def visit(port, config, daemon)
      Net::HTTP.start("127.0.0.1", port) do |http|
        assert_equal "hello Ada", http.get("/hello/Ada").body, daemon.log
        assert_equal "a=1,b=ž", http.post("/form", "a=1&b=%C5%BE").body.force_encoding("UTF-8")
        assert_equal "0\n1\n2\n", http.get("/stream").body
        assert_equal config, http.get("/file").body.force_encoding("UTF-8")
        assert_equal %w[a=1 b=2], http.get("/cookie").get_fields("set-cookie")
          .map { |cookie| cookie[/\A[^;]+/] }
        assert_equal "500", http.get("/boom").code
        assert_equal "404", http.get("/nowhere").code
        upload = Net::HTTP::Post.new("/upload")
        upload.set_form([["file", StringIO.new("x" * 300_000), {filename: "f"}]],
          "multipart/form-data")
        assert_equal "300000", http.request(upload).body
        assert_equal ["200", nil], http.head("/hello/x")
          .then { |response| [response.code, response.body] }
      end
    end
  end
end
