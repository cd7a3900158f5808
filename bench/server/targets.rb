# frozen_string_literal: true

require "rbconfig"
require_relative "../harness/target"
require_relative "plan"
require_relative "setup"
require_relative "settings"
require_relative "tools"

module ServerBench
  Target = Bench::Target

  # All targets. Rivals are those that use as many cores. Each has as few threads and processes as
  # do the work, which is when it takes the least CPU time, and what would close connections or
  # write logs turned off.
  module Targets
    ROOT = Bench::Programs::ROOT
    APP = File.join(__dir__, "config.ru")
    # With two processes, the load has no core for itself: these show the cost of a second process.
    ENOUGH = %w[hello hello_8192 json cpu mixed].freeze
    ONLY_ENOUGH = Plans::ALL.except(*ENOUGH).transform_values { nil }.freeze

    # Those that are measured by h2load.
    HTTP2 = %w[raffia-uring raffia-epoll falcon itsi nginx limit].freeze

    NO_HTTP2 = if File.exist?(File.join(ROOT, "lib/raffia/server/http2/connection.rb"))
      {}
    else
      H2loadPlans::ALL.keys.grep(/h2/).to_h { |name| [name, "it does not speak HTTP/2 yet"] }
    end

    module_function

    # An executable of a gem, by the Ruby that runs this.
    def gem(name, executable, *arguments, group: :one, from: name, first: [], without: {}, **setup)
      Target.new(name:, group:, gem: from, without:, open: -> {
        spec = Gem::Specification.find_by_name(from)
        Setup.new(command: [RbConfig.ruby, *first, Gem.bin_path(spec.name, executable), *arguments],
          **setup)
      })
    end

    def raffia(name, *arguments, group: :one, without: {}, **setup)
      trouble = -> {
        "there is no raffia serve" unless File.exist?(File.join(ROOT, "lib/raffia/server.rb"))
      }
      command = [RbConfig.ruby, "-I#{ROOT}/lib", File.join(ROOT, "exe/raffia"), "serve",
        "--no-config", APP, "-b", "tcp://127.0.0.1:PORT", *arguments]
      without = NO_HTTP2.merge(without)
      Target.new(name:, group:, trouble:, without:, open: -> { Setup.new(command:, **setup) })
    end

    def puma(name, arguments, without: {}, **setup)
      gem(name, "puma", "-q", "-C", "puma.rb", *arguments, APP, from: "puma", without:,
        files: {"puma.rb" => Settings::PUMA}, **setup)
    end

    # Neither runs Ruby.
    def program(name, title = name, http2: nil, without: {})
      Target.new(name:, reference: true, without:,
        open: -> {
          Setup.new(command: [Tools.program(title), "PORT"], env: {"GOMAXPROCS" => "1"},
            counts: false, http2: http2 && Setup.new(command: [Tools.program(http2), "PORT"],
              counts: false, only_http2: true))
        },
        trouble: -> {
          "#{Tools.program(title)} is not built" unless File.executable?(Tools.program(title))
        })
    end

    def nginx
      without = %w[json upload wait cpu mixed].to_h { |name| [name, nil] }
        .merge(%w[h1_upload h2_upload h2_upload_100].to_h { |name|
          [name, "it answers before it has read the body"]
        })
      trouble = -> {
        "there is no nginx (apt-get install nginx-light)" unless Bench::Programs.tool?("nginx")
      }
      Target.new(name: "nginx", reference: true, without:, trouble:, open: -> {
        nginx_setup(Settings::NGINX,
          http2: nginx_setup(Settings::NGINX_HTTP2, only_http2: true))
      })
    end

    def nginx_setup(conf, **setup)
      Setup.new(command: %w[nginx -p FOLDER -c nginx.conf -e log],
        files: {"nginx.conf" => conf, "download" => Settings::DOWNLOAD}, counts: false, **setup)
    end

    # HTTP/2, or h2load's HTTP/1.1 beside it.
    def without_h2load(target)
      target.with(without: {**H2loadPlans::ALL.transform_values { nil }, **target.without})
    end

    ALL = [
      raffia("raffia-uring", "--processes", "1", env: {"RAFFIA_BACKEND" => "uring"},
        proof: /uring/),
      raffia("raffia-epoll", "--processes", "1", env: {"RAFFIA_BACKEND" => "epoll"},
        proof: /epoll/),
      puma("puma-1", %w[-t 1:1]), puma("puma-5", %w[-t 5:5]),
      gem("falcon", "falcon", *%W[serve -b http://127.0.0.1:PORT -n 1 -c #{APP}]),
      gem("itsi", "itsi", "-C", "Itsi.rb", from: "itsi-server",
        files: {"Itsi.rb" => Settings.itsi(APP)},
        first: %w[-ritsi/scheduler]),
      gem("iodine", "iodine", *%w[-b 127.0.0.1 -p PORT -t 1 -w 1], APP),
      gem("agoo", "agoo", *%w[-s -b http://127.0.0.1:PORT -t 1 -w 1], APP),
      gem("pitchfork", "pitchfork", *%w[-E none -l 127.0.0.1:PORT -c pitchfork.rb], APP,
        files: {"pitchfork.rb" => Settings::PITCHFORK},
        without: %w[hello_8192 pipelined wait].to_h { |name|
          [name,
            "it closes each connection after an answer, and has one request at a time"]
        }),
      nginx, program("go", "net_http"), program("limit", http2: "limit_h2",
        without: {"wait" => nil, "mixed" => nil, "h1_upload" => nil}),
      raffia("raffia-2", "--processes", "2", group: :two, without: ONLY_ENOUGH, cores: 2,
        counts: false),
      raffia("raffia-ractors", "--processes", "1", "--ractors", "2", group: :two,
        without: ONLY_ENOUGH, cores: 2, proof: /[2-9] Ractors/),
      puma("puma-cluster", %w[-t 5:5 -w 2 --preload], group: :two, without: ONLY_ENOUGH, cores: 2,
        counts: false),
      gem("falcon-2", "falcon", *%W[serve -b http://127.0.0.1:PORT -n 2 -c #{APP}], from: "falcon",
        group: :two, without: ONLY_ENOUGH, cores: 2,
        counts: false)
    ].map { |target| HTTP2.include?(target.name) ? target : without_h2load(target) }
      .to_h { |target| [target.name, target] }.freeze
  end
end
