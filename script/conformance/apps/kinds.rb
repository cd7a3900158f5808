# frozen_string_literal: true

require "json"

module Conformance
  # The applications.
  module AppKinds
    # `rails new` and a scaffold, nothing else changed: sessions, forms, SQLite, Solid Cache, Turbo.
    class Rails < App
      NAME = "rails"
      GEMS = {"rails" => "8.1.3.1"}.freeze
      OPTIONS = %w[--skip-git --quiet].freeze
      SCAFFOLD = %w[scaffold post title:string body:text].freeze

      def generate(folder)
        Dir.mktmpdir do |dir|
          tool("rails", "_#{version}_", "new", "shop", *OPTIONS, *options, chdir: dir)
          FileUtils.cp_r("#{dir}/shop/.", folder)
        end
        add_servers(folder)
        development = env(folder).merge("RAILS_ENV" => "production")
        Source.command(RbConfig.ruby, "bin/rails", "generate", *SCAFFOLD, "--quiet",
          env: development, chdir: folder)
        finish(folder)
      end

      def pages = %w[/up /posts /posts/new /posts/1 /posts.json /missing /robots.txt]

      def write(client)
        form = {"authenticity_token" => client.token("/posts/new"), "post[title]" => "Ä title",
                "post[body]" => "text"}
        client.post("/posts", form).is_a?(Net::HTTPRedirection)
      end

      def written(client) = JSON.parse(client.get("/posts.json").body).size

      # A record is made, found in the list, changed and destroyed.
      def visit(visitor)
        visitor.go("/posts", "New post")
        visitor.click("New post", "Back to posts")
        visitor.fill("post[title]" => "Grüße & <b>more</b>", "post[body]" => "first\nsecond")
        visitor.click("Create Post", "Post was successfully created.")
        visitor.click("Back to posts", "Grüße & <b>more</b>")
        visitor.click("Show this post", "Edit this post")
        visitor.click("Edit this post", "Editing post")
        visitor.fill("post[title]" => "changed")
        visitor.click("Update Post", "Post was successfully updated.")
        visitor.click("Destroy this post", "Post was successfully destroyed.")
      end

      def note(visitor, number)
        visitor.go("/posts/new", "Back to posts")
        visitor.fill("post[title]" => "number #{number}", "post[body]" => "by a person")
        visitor.click("Create Post", "Post was successfully created.")
      end

      private

      def options = []

      def finish(folder)
        %w[db:prepare assets:precompile].each { |task| rails(folder, task) }
      end

      def rails(folder, *arguments)
        Source.command(RbConfig.ruby, "bin/rails", *arguments, env: env(folder), chdir: folder)
      end
    end

    # `rails new --api`: JSON in and out.
    class RailsAPI < Rails
      NAME = "rails-api"

      def options = ["--api"]

      def finish(folder) = rails(folder, "db:prepare")

      def pages = %w[/up /posts /posts/1 /posts/99999 /missing]

      # JSON alone.
      def visited? = false

      def write(client)
        body = JSON.generate(post: {title: "Ä title", body: "text"})
        client.post("/posts", body, "content-type" => "application/json").is_a?(Net::HTTPCreated)
      end

      def written(client) = JSON.parse(client.get("/posts").body).size
    end

    # An application of a few lines, which has no generator: what is written goes to a file under a
    # lock.
    class Small < App
      def generate(folder)
        FileUtils.mkdir_p(File.join(folder, "tmp"))
        File.write(File.join(folder, "Gemfile"), gemfile)
        File.write(File.join(folder, "config.ru"), self.class::RACKUP)
        add_servers(folder)
      end

      def gemfile
        gems = self.class::GEMS.map { |name, requirement|
          "gem #{name.inspect}, #{requirement.inspect}\n"
        }.join
        "source \"https://rubygems.org\"\n#{gems}"
      end

      def pages = %w[/up /notes /hello/world?x=1&y=%C3%A4 /missing /stream]

      def write(client) = client.post("/notes", {"text" => "a note"}).is_a?(Net::HTTPCreated)

      def written(client) = client.get("/notes").body.to_i
    end

    # Its DSL, sessions and streaming.
    class Sinatra < Small
      NAME = "sinatra"
      GEMS = {"sinatra" => "4.2.1", "rackup" => "~> 2.2"}.freeze
      RACKUP = <<~'RUBY'
        require "sinatra/base"

        class Notes < Sinatra::Base
          enable :sessions
          set :session_secret, "0" * 64
          FILE = File.expand_path("tmp/notes", __dir__)

          get("/up") { "up" }
          get("/hello/:name") { "hello #{params["name"]} #{params["x"]}#{params["y"]}" }
          get("/notes") { (File.exist?(FILE) ? File.foreach(FILE).count : 0).to_s }
          get("/stream") { stream { |out| 5.times { |number| out << "#{number}\n" } } }
          post "/notes" do
            session["count"] = session["count"].to_i + 1
            File.open(FILE, "a") do |file|
              file.flock(File::LOCK_EX)
              file.puts(params["text"])
            end
            status(201)
          end
        end

        run Notes
      RUBY
    end

    # Its routing tree.
    class Roda < Small
      NAME = "roda"
      GEMS = {"roda" => "3.107.0"}.freeze
      RACKUP = <<~'RUBY'
        require "roda"

        class Notes < Roda
          plugin :streaming
          plugin :not_found
          FILE = File.expand_path("tmp/notes", __dir__)

          not_found { "no such page" }
          route do |r|
            r.get("up") { "up" }
            r.get("hello", String) { |name| "hello #{name} #{r.params["x"]}#{r.params["y"]}" }
            r.get("stream") { stream { |out| 5.times { |number| out << "#{number}\n" } } }
            r.is "notes" do
              r.get { (File.exist?(FILE) ? File.foreach(FILE).count : 0).to_s }
              r.post do
                File.open(FILE, "a") do |file|
                  file.flock(File::LOCK_EX)
                  file.puts(r.params["text"])
                end
                response.status = 201
                ""
              end
            end
          end
        end

        run Notes.freeze.app
      RUBY
    end

    # `hanami new`, and an action by its generator.
    class Hanami < App
      NAME = "hanami"
      GEMS = {"hanami" => "3.0.2"}.freeze

      def generate(folder)
        Dir.mktmpdir do |dir|
          tool("hanami", "new", "shelf", "--skip-install", "--skip-assets", "--skip-db", chdir: dir)
          FileUtils.cp_r("#{dir}/shelf/.", folder)
        end
        add_servers(folder)
        bundle(folder, "exec", "hanami", "generate", "action", "books.index", "--url", "/books")
      end

      def pages = %w[/up /books /missing]

      # It stores nothing.
      def write(client) = client.get("/books").is_a?(Net::HTTPOK)

      def written(_client) = nil
    end
  end
end
