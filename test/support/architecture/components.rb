# frozen_string_literal: true

module Architecture
  # Components of lib/ and which of them each may require: docs/architecture.md's drawing, as data.
  #
  #   layer 6  cli        lab        simulation     entrances for people; nothing requires them
  #   layer 5  compat     integrations   jobs/web   faces on someone else's interface
  #   layer 4  actor      jobs           server     products; peers
  #   root     lib/raffia.rb, run.rb and snapshot.rb: the composition root of all below
  #   layer 3  pool                                 calls over collections, futures
  #            service                              how a long-running command lives
  #            executor                             where work runs
  #   layer 2  task       process
  #   layer 1  scheduler
  #   layer 0  engine     native                    native.rb alone loads the extension
  #   base     charts                               stdlib only
  module Components
    BELOW_PRODUCTS = %w[base native engine scheduler task process executor pool service].freeze
    PRODUCT = %w[base task process executor pool service root].freeze
    ENTRANCE = (BELOW_PRODUCTS + %w[root actor jobs server compat integrations jobs/web]).freeze

    MAY_REQUIRE = {
      "base" => [],
      "charts" => [],
      "native" => %w[base],
      "engine" => %w[base native],
      "scheduler" => %w[base engine],
      "task" => %w[base],
      "process" => %w[base native],
      "executor" => %w[base native task process],
      "pool" => %w[base native task process executor],
      "service" => %w[base process executor],
      "root" => BELOW_PRODUCTS,
      "actor" => PRODUCT,
      "jobs" => PRODUCT + %w[native],
      "server" => PRODUCT + %w[native],
      "jobs/web" => %w[base charts jobs],
      # each layer, the one component that it imitates
      "compat" => PRODUCT + %w[engine scheduler actor jobs jobs/web server],
      "integrations" => PRODUCT + %w[engine actor jobs server],
      "lab" => ENTRANCE + %w[charts],
      "simulation" => BELOW_PRODUCTS + %w[root charts],
      "cli" => ENTRANCE + %w[lab simulation]
    }.freeze

    # The constant of Raffia that stands for a component: naming it is knowing the component, with
    # or without a require.
    CONSTANTS = {
      Engine: "engine", Native: "native", Scheduler: "scheduler", Executor: "executor",
      Pool: "pool", Service: "service", Actor: "actor",
      Jobs: "jobs", Job: "jobs",
      Server: "server", Compat: "compat", Lab: "lab", CLI: "cli", Simulation: "simulation"
    }.freeze

    module_function

    # @param path [String] relative to the repository
    # @return [String, nil] the component; nil outside of lib/
    def of(path)
      case path.delete_suffix(".rb")
      when "lib/raffia", %r{\Alib/raffia/(?:run|snapshot)(?:/|\z)} then "root"
      when %r{\Alib/raffia/jobs/web(?:/|\z)} then "jobs/web"
      when "lib/raffia/rails", %r{\Alib/(?:active_job|generators|rackup)/} then "integrations"
      when %r{\Alib/raffia/([a-z_]+)(?:/|\z)} then $1
      end
    end

    # @return [Boolean] may files of the component +from+ require files of the component +to+?
    def allowed?(from, to) = from == to || MAY_REQUIRE.fetch(from, []).include?(to)
  end
end
